import { domainToASCII } from 'node:url';
import { HttpError } from '../../errors.ts';
import type { Account } from '../../identity/accounts/account.ts';
import type { Log } from '../../log.ts';
import { Type } from '../../schema.ts';
import type { AuditLog } from '../../store/events/audit-log.ts';

/** An active domain. */
export interface Domain {
  readonly id: number;
  readonly accountId: number;
  /** Lower-case ASCII form. */
  readonly name: string;
  /** Further names at which the same site answers, in the same form. */
  readonly aliases?: readonly string[];
  /** Path as clients see it, e.g. `/var/www/html/example.com`. */
  readonly docroot: string;
  /** The same path below the account's files root, for `Folder.open`. */
  readonly components: readonly string[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/**
 * The service of the plugin `domains`, for plugins that use it. Only active domains are returned, none that is being added
 * or removed. A plugin that mirrors the domains elsewhere must compare its copy with `all` during setup: a killed
 * process may have announced a domain that was never added, or not announced one that was removed.
 */
export interface DomainDirectory {
  /** Returns the domains of an account by name; without a promise where they are cached. */
  list(account: Account): readonly Domain[] | Promise<readonly Domain[]>;
  /** Reads all domains of the accounts whose home is this node, account by account. */
  all(): AsyncIterable<Domain>;
  /** Has accounts add neither a name nor one above or below it, from now on. */
  reserve?(name: string): void;
  /** Calls back with the account's id after each change in this process; returns a function that unsubscribes. */
  onChange(listener: (accountId: number) => void): () => void;
}

/** Stands in where no plugin keeps domains: there are none, and none ever change. */
export const NO_DOMAINS: DomainDirectory = {
  list: () => [],
  async *all() {},
  onChange: () => () => undefined,
};

/** A name as somebody writes it, for `domainNamed`. */
export const DomainName = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'A domain of the account',
  examples: ['example.com'],
});
/** Of the path of routes about one domain. */
export const DomainParams = Type.Object({ domain: DomainName });

/**
 * Resolves with the domain of an account that has a name, as somebody wrote that; `path` is where. Errors: 404 `domain_not_found`,
 * which the calling plugin declares.
 */
export async function domainNamed(
  directory: Pick<DomainDirectory, 'list'>,
  account: Account,
  text: string,
  at: { readonly path?: string } = {},
): Promise<Domain> {
  const name = domainToASCII(text).replace(/\.$/, '');
  const domain = (await directory.list(account)).find((each) => each.name === name);
  if (domain === undefined) throw new HttpError('domain_not_found', 'the account has no domain of this name', at);
  return domain;
}

/** Whether a domain is still one of its account. */
export async function hasDomain(
  directory: Pick<DomainDirectory, 'list'>,
  account: Account,
  { id }: Pick<Domain, 'id'>,
): Promise<boolean> {
  return (await directory.list(account)).some((each) => each.id === id);
}

/** Returns the name by which visitors know a site, too; `undefined` where there is none. */
export function wwwName(name: string): string | undefined {
  const www = `www.${name}`;
  return www.length > 253 || name.startsWith('www.') ? undefined : www;
}

/**
 * Returns the names at which a domain's site answers, its own first: `www.` before it, unless another one of `all` domains of the
 * account has that, and its aliases.
 */
export function siteNames({ id, name, aliases = [] }: Domain, all: readonly Domain[]): string[] {
  const elsewhere = all.filter((each) => each.id !== id).flatMap((each) => [each.name, ...(each.aliases ?? [])]);
  const www = wwwName(name);
  const isServed = www !== undefined && !elsewhere.includes(www);
  return [...new Set([name, ...(isServed ? [www] : []), ...aliases])];
}

interface FollowingHost {
  readonly events: AuditLog;
  readonly log: Log;
  onClose(release: () => void | Promise<void>): void;
}
type FollowDomain = (domainId: number, accountId: number | null) => Promise<unknown>;

/** Forgets what a plugin keeps of each domain that this process removes, one after another, also while the plugin closes. */
export function forgetRemoved(host: FollowingHost, forget: FollowDomain): void {
  followOwn(host, 'domain.removed', forget, 'what was kept of a removed domain was not removed');
}

/** Does in the same way what a plugin has to do for each domain that this process has added; its owner may already have changed it. */
export function followAdded(host: FollowingHost, follow: FollowDomain, problem: string): void {
  followOwn(host, 'domain.added', follow, problem);
}

function followOwn(
  { events, log, onClose }: FollowingHost,
  followed: string,
  follow: FollowDomain,
  problem: string,
): void {
  let following = Promise.resolve();
  onClose(() => following);
  onClose(
    events.listen(({ type, account_id: accountId, data }, isOwn) => {
      const { domain_id: id } = data;
      if (!isOwn || type !== followed || typeof id !== 'number') return;
      following = following
        .then(() => follow(id, accountId))
        .then(
          () => undefined,
          (err: unknown) => log.error({ err, domain_id: id }, problem),
        );
    }),
  );
}
