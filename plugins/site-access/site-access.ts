import type { Host } from '../../kernel/contract/plugin.ts';
import {
  domainNamed,
  NO_DOMAINS,
  type Domain,
  type DomainDirectory,
  DomainValues,
  type DomainValue,
} from '../../kernel/contract/points/domain-directory.ts';
import {
  MOST_LOCKS,
  MOST_USERS,
  SiteChanges,
  type SiteAccess,
  type SiteRule,
  type SiteRules,
} from '../../kernel/contract/points/web-server-part.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { EventInput } from '../../kernel/store/events/audit-log.ts';
import { fail } from './errors.ts';
import { hashPassword } from './hash-password.ts';
import { errorPagesIn, folderIn, rangesIn } from './parse-access.ts';
import type { ErrorPages, FolderUser, KeptAccess, SiteAccessEntry } from './schema.ts';

/** Whose site is changed, as the client wrote its domain. */
export interface Subject {
  readonly account: Account;
  readonly domain: string;
  readonly ip: string;
}
/** Returns what is told of a change of a domain. */
type Tell = (about: Pick<EventInput, 'account' | 'ip'>, domain: string) => EventInput;

const SITES = new DomainValues<SiteAccess>('site_access');
const OPEN: SiteAccess = { blocked: [], locks: [], errorPages: [] };

/** Who may see sites, and their error pages: each change is served before it is stored, and stored only if it is served. */
export class SitesAccess {
  readonly #host: Host;
  readonly #domains: DomainDirectory;
  readonly #changes: SiteChanges<DomainValue<SiteAccess>>;

  constructor(host: Host) {
    this.#host = host;
    this.#domains = host.peer<DomainDirectory>('domains') ?? NO_DOMAINS;
    this.#changes = new SiteChanges(host, 'access');
  }

  /** Returns the access of each domain of an account, by name. */
  async list(account: Account): Promise<SiteAccessEntry[]> {
    const domains = await this.#domains.list(account);
    const ids = domains.map(({ id }) => id);
    const sites = await SITES.read(this.#host.store, ids);
    return domains.map(({ id, name }) => entry(name, sites.get(id)?.value ?? OPEN));
  }

  /** Returns the same with the hashes of passwords. */
  async kept(account: Account): Promise<(KeptAccess & { readonly domain_url: string })[]> {
    const domains = await this.#domains.list(account);
    const sites = await SITES.read(
      this.#host.store,
      domains.map(({ id }) => id),
    );
    return domains.map(({ id, name }) => {
      const { blocked, locks, errorPages } = sites.get(id)?.value ?? OPEN;
      const folders = locks.map(({ path, users }) => ({ path, users: users.map((user) => ({ ...user })) }));
      return { domain_url: name, folders, blocked: [...blocked], error_pages: errorPages.map((page) => ({ ...page })) };
    });
  }

  /** Replaces all of a site. Errors: those of the changes, except `access_limit_reached`. */
  async restore(subject: Subject, { folders, blocked, error_pages: pages }: KeptAccess): Promise<SiteAccessEntry> {
    const locks = new Map(
      folders.map(({ path, users }) => [folderIn(path), new Map(users.map((user) => [user.name, user]))]),
    );
    const access: SiteAccess = {
      blocked: rangesIn(blocked),
      locks: [...locks].map(([path, users]) => ({ path, users: [...users.values()] })),
      errorPages: errorPagesIn(pages),
    };
    return this.#change(subject, await this.#domain(subject), () => access);
  }

  async rules(domainIds: readonly number[]): Promise<SiteRules> {
    const served = this.#changes.served(domainIds, await SITES.read(this.#host.store, domainIds));
    return new Map([...served].map(([id, { value: access }]): [number, SiteRule] => [id, { access }]));
  }

  /**
   * Lets somebody see a folder, with this password from now on. Errors: 404 `domain_not_found`; 400 `invalid_folder`; 409
   * `access_limit_reached`; any error of a provider of `siteChanged`.
   */
  async setUser(subject: Subject, { path: given, name, password }: FolderUser): Promise<SiteAccessEntry> {
    const path = folderIn(given);
    const domain = await this.#domain(subject);
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
    return this.#change(subject, domain, change, (about, domain_url) => ({
      ...about,
      type: 'folder_user.set',
      text: `set the password of ${name} for ${domain_url}${path}`,
      data: { domain_url, path, name },
    }));
  }

  /** Errors: 404 `domain_not_found`, `folder_user_not_found`; 400 `invalid_folder`; any error of a provider of `siteChanged`. */
  async removeUser(subject: Subject, given: string, name: string): Promise<SiteAccessEntry> {
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
    return this.#change(subject, await this.#domain(subject), change, (about, domain_url) => ({
      ...about,
      type: 'folder_user.removed',
      text: `removed the user ${name} of ${domain_url}${path}`,
      data: { domain_url, path, name },
    }));
  }

  /** Errors: 404 `domain_not_found`; 400 `invalid_address_range`; any error of a provider of `siteChanged`. */
  async setBlocked(subject: Subject, addresses: readonly string[]): Promise<SiteAccessEntry> {
    const blocked = rangesIn(addresses);
    const change = (access: SiteAccess) => ({ ...access, blocked });
    return this.#change(subject, await this.#domain(subject), change, (about, domain_url) => ({
      ...about,
      type: 'blocked_addresses.set',
      text: `changed the blocked addresses of ${domain_url}`,
      data: { domain_url },
    }));
  }

  /** Errors: 404 `domain_not_found`; 400 `invalid_error_page`; any error of a provider of `siteChanged`. */
  async setErrorPages(subject: Subject, given: ErrorPages['error_pages']): Promise<SiteAccessEntry> {
    const errorPages = errorPagesIn(given);
    const change = (access: SiteAccess) => ({ ...access, errorPages });
    return this.#change(subject, await this.#domain(subject), change, (about, domain_url) => ({
      ...about,
      type: 'error_pages.set',
      text: `changed the error pages of ${domain_url}`,
      data: { domain_url },
    }));
  }

  /** Removes that of a removed domain. */
  forget(domainId: number): Promise<void> {
    return this.#host.store.write((tx) => SITES.remove(tx, domainId));
  }

  async #change(
    { account, ip }: Subject,
    { id, name, docroot }: Domain,
    change: (access: SiteAccess) => SiteAccess,
    tell?: Tell,
  ): Promise<SiteAccessEntry> {
    const { store, identity, events } = this.#host;
    const part = { id, name, docroot, account };
    return this.#changes.inTurn(part, async () => {
      const value = change((await SITES.read(store, [id])).get(id)?.value ?? OPEN);
      const wanted = { accountId: account.id, value };
      await this.#changes.serve(part, wanted, async (tx) => {
        await identity.accounts.assertExists(tx, account);
        await SITES.put(tx, id, wanted);
        if (tell !== undefined) await events.record(tx, tell({ account, ip }, name));
      });
      return entry(name, value);
    });
  }

  #domain({ account, domain }: Subject): Promise<Domain> {
    return domainNamed(this.#domains, account, domain);
  }
}

function entry(domain: string, { blocked, locks, errorPages }: SiteAccess): SiteAccessEntry {
  return {
    domain_url: domain,
    folders: locks.map(({ path, users }) => ({ path, users: users.map(({ name }) => name) })),
    blocked: [...blocked],
    error_pages: errorPages.map((page) => ({ ...page })),
  };
}
