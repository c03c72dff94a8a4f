import type { Account } from '../../identity/accounts/account.ts';

/** A cache of the pages of an account's sites, which stands between the web server and the sites. */
export interface SiteCache {
  /** The Unix socket at which the web server asks it; see `CACHE_SOCKET`. */
  readonly socket: string;
  /** By it the web server knows the requests that the cache passes on; see `CACHE_KEY`. */
  readonly key: string;
  /** The address, an IP address and a port, at which it reaches the web server over plain HTTP. */
  readonly host: string;
  readonly port: number;
}

/** The service of the plugin `services`. */
export interface SiteCaches {
  /** Resolves with the cache of an account; `undefined` if it has switched none on, or may not have one here. */
  cacheOf(account: Account): Promise<SiteCache | undefined>;
}

/** In a folder with the number of the account. Nothing in it means anything to a web server's configuration. */
export const CACHE_SOCKET = /^(?=.{1,107}$)(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+\/\d+\/[a-z0-9]+\.sock$/;
export const CACHE_KEY = /^[0-9a-f]{64}$/;
export const CACHE_HOST = /^[0-9a-f.:]{2,45}$/;
