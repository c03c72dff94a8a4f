import { socketPattern } from '../../contract/points/web-server-part.ts';
import type { Account } from '../../identity/accounts/account.ts';

/** A cache of the pages of an account's sites, which stands between the web server and the sites. */
export interface SiteCache {
  /** The Unix socket at which the web server asks it; see `CACHE_SOCKET`. */
  readonly socket: string;
  /**
   * The MD5 digest in base64url of the secret that the cache sends with the requests that it passes on. Everybody at the node may
   * read virtual hosts, so they hold no secret; this one has 256 random bits, so that nobody finds it by its digest.
   */
  readonly secretDigest: string;
}

/** The service of the plugin `services`. */
export interface SiteCaches {
  /** Resolves with the cache of an account; `undefined` if it has switched none on, or may not have one here. */
  cacheOf(account: Account): Promise<SiteCache | undefined>;
}

/** The path of the socket at which a cache answers. */
export const CACHE_SOCKET = socketPattern('[a-z0-9]+');
export const CACHE_DIGEST = /^[A-Za-z0-9_-]{22}$/;
