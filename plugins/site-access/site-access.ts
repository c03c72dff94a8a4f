import type { Host } from '../../kernel/contract/plugin.ts';
import type { SiteRule, SiteRules } from '../../kernel/contract/points/web-server-part.ts';
import { type NamedValue, SiteValues, type SiteSubject } from '../../kernel/areas/sites/site-values.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { fail } from './errors.ts';
import { hashPassword } from './hash-password.ts';
import { errorPagesIn, folderIn, rangesIn } from './parse-access.ts';
import type { ErrorPages, FolderUser, KeptAccess, SiteAccessEntry } from './schema.ts';
import { MOST_BLOCKED, MOST_LOCKS, MOST_USERS, type SiteAccess } from './site-directives.ts';

const OPEN: SiteAccess = { blocked: [], locks: [], errorPages: [] };

/** Who may see sites, and their error pages. */
export class SitesAccess {
  readonly #sites: SiteValues<SiteAccess>;

  constructor(host: Host) {
    this.#sites = new SiteValues(host, { table: 'site_access', name: 'access', initial: OPEN });
  }

  /** Returns the access of each domain of an account, by name. */
  async list(account: Account): Promise<SiteAccessEntry[]> {
    return (await this.#sites.list(account)).map(entry);
  }

  /** Returns the same with the hashes of passwords. */
  async kept(account: Account): Promise<(KeptAccess & { readonly domain_url: string })[]> {
    return (await this.#sites.list(account)).map(({ domain, value: { blocked, locks, errorPages } }) => {
      const folders = locks.map(({ path, users }) => ({ path, users: users.map((user) => ({ ...user })) }));
      return {
        domain_url: domain,
        folders,
        blocked: [...blocked],
        error_pages: errorPages.map((page) => ({ ...page })),
      };
    });
  }

  /** Replaces all of a site; with `isAdding`, what has no counterpart there stays. Errors: those of the changes. */
  async restore(
    subject: SiteSubject,
    { folders, blocked, error_pages: pages }: KeptAccess,
    isAdding = false,
  ): Promise<SiteAccessEntry> {
    const locks = new Map(
      folders.map(({ path, users }) => [folderIn(path), new Map(users.map((user) => [user.name, user]))]),
    );
    const access: SiteAccess = {
      blocked: rangesIn(blocked),
      locks: [...locks].map(([path, users]) => ({ path, users: [...users.values()] })),
      errorPages: errorPagesIn(pages),
    };
    const change = (before: SiteAccess) => (isAdding ? joined(before, access) : access);
    return entry(await this.#sites.change(subject, await this.#sites.domain(subject), change));
  }

  async rules(domainIds: readonly number[]): Promise<SiteRules> {
    const served = await this.#sites.served(domainIds);
    return new Map(
      [...served].map(([id, { value: access }]): [number, SiteRule] => [id, { parts: { 'site-access': access } }]),
    );
  }

  /**
   * Lets somebody see a folder, with this password from now on. Errors: 404 `domain_not_found`; 400 `invalid_folder`; 409
   * `access_limit_reached`; any error of a provider of `siteChanged`.
   */
  async setUser(subject: SiteSubject, { path: given, name, password }: FolderUser): Promise<SiteAccessEntry> {
    const path = folderIn(given);
    const domain = await this.#sites.domain(subject);
    if (Buffer.byteLength(password) > 72)
      throw fail.invalid_folder('a password has 72 bytes at most', { path: '/password' });
    const user = { name, hash: await hashPassword(password) };
    const change = (access: SiteAccess): SiteAccess => {
      const users = access.locks.find((lock) => lock.path === path)?.users ?? [];
      const others = access.locks.filter((lock) => lock.path !== path);
      const after = [...users.filter((each) => each.name !== name), user].toSorted((a, b) =>
        a.name < b.name ? -1 : 1,
      );
      if (others.length >= MOST_LOCKS)
        throw fail.access_limit_reached(`a site can have ${MOST_LOCKS} protected folders`);
      if (after.length > MOST_USERS) throw fail.access_limit_reached(`a folder can have ${MOST_USERS} users`);
      return { ...access, locks: [...others, { path, users: after }].toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
    };
    const changed = await this.#sites.change(subject, domain, change, (by, domain_url) => ({
      ...by,
      type: 'folder_user.set',
      text: `set the password of ${name} for ${domain_url}${path}`,
      data: { domain_url, path, name },
    }));
    return entry(changed);
  }

  /** Errors: 404 `domain_not_found`, `folder_user_not_found`; 400 `invalid_folder`; any error of a provider of `siteChanged`. */
  async removeUser(subject: SiteSubject, given: string, name: string): Promise<SiteAccessEntry> {
    const path = folderIn(given);
    const change = (access: SiteAccess): SiteAccess => {
      const users = access.locks.find((lock) => lock.path === path)?.users ?? [];
      if (!users.some((each) => each.name === name))
        throw fail.folder_user_not_found('the folder has no user of this name');
      const left = users.filter((each) => each.name !== name);
      const others = access.locks.filter((lock) => lock.path !== path);
      const kept = left.length === 0 ? [] : [{ path, users: left }];
      return { ...access, locks: [...others, ...kept].toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
    };
    const changed = await this.#sites.change(subject, await this.#sites.domain(subject), change, (by, domain_url) => ({
      ...by,
      type: 'folder_user.removed',
      text: `removed the user ${name} of ${domain_url}${path}`,
      data: { domain_url, path, name },
    }));
    return entry(changed);
  }

  /** Errors: 404 `domain_not_found`; 400 `invalid_address_range`; any error of a provider of `siteChanged`. */
  async setBlocked(subject: SiteSubject, addresses: readonly string[]): Promise<SiteAccessEntry> {
    const blocked = rangesIn(addresses);
    const change = (access: SiteAccess) => ({ ...access, blocked });
    const changed = await this.#sites.change(subject, await this.#sites.domain(subject), change, (by, domain_url) => ({
      ...by,
      type: 'blocked_addresses.set',
      text: `changed the blocked addresses of ${domain_url}`,
      data: { domain_url },
    }));
    return entry(changed);
  }

  /** Errors: 404 `domain_not_found`; 400 `invalid_error_page`; any error of a provider of `siteChanged`. */
  async setErrorPages(subject: SiteSubject, given: ErrorPages['error_pages']): Promise<SiteAccessEntry> {
    const errorPages = errorPagesIn(given);
    const change = (access: SiteAccess) => ({ ...access, errorPages });
    const changed = await this.#sites.change(subject, await this.#sites.domain(subject), change, (by, domain_url) => ({
      ...by,
      type: 'error_pages.set',
      text: `changed the error pages of ${domain_url}`,
      data: { domain_url },
    }));
    return entry(changed);
  }
}

/** Returns what is given, and what a site has besides. Errors: 409 `access_limit_reached`. */
function joined(before: SiteAccess, given: SiteAccess): SiteAccess {
  const locks = given.locks.map((lock) => {
    const there = before.locks.find(({ path }) => path === lock.path)?.users ?? [];
    return { ...lock, users: withOthers(lock.users, there, ({ name }) => name) };
  });
  const access: SiteAccess = {
    blocked: withOthers(given.blocked, before.blocked, (range) => range),
    locks: withOthers(locks, before.locks, ({ path }) => path).toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    errorPages: withOthers(given.errorPages, before.errorPages, ({ status }) => status),
  };
  const isFull = access.blocked.length > MOST_BLOCKED || access.locks.length > MOST_LOCKS;
  if (isFull || access.locks.some(({ users }) => users.length > MOST_USERS))
    throw fail.access_limit_reached('with what has been added since, it would be too much for one site');
  return access;
}

/** Returns a list with those of another that it lacks. */
const withOthers = <T>(list: readonly T[], others: readonly T[], keyOf: (item: T) => unknown): T[] => [
  ...list,
  ...others.filter((other) => list.every((item) => keyOf(item) !== keyOf(other))),
];

function entry({ domain, value: { blocked, locks, errorPages } }: NamedValue<SiteAccess>): SiteAccessEntry {
  return {
    domain_url: domain,
    folders: locks.map(({ path, users }) => ({ path, users: users.map(({ name }) => name) })),
    blocked: [...blocked],
    error_pages: errorPages.map((page) => ({ ...page })),
  };
}
