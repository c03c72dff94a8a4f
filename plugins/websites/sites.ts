import { domainToASCII } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { AccountCache } from '../../kernel/kit/waiting/account-cache.ts';
import type { AccountJobs } from '../../kernel/kit/jobs/account-jobs.ts';
import type { JobPool } from '../../kernel/kit/jobs/job-pool.ts';
import { withDeadline } from '../../kernel/kit/waiting/deadline.ts';
import { defineJob } from '../../kernel/kit/jobs/job.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Accounts } from '../../kernel/identity/accounts/accounts.ts';
import type { Log } from '../../kernel/log.ts';
import type { Store } from '../../kernel/store/store.ts';
import { clientPath } from '../../kernel/kit/files/client-path.ts';
import type { Domain, DomainDirectory } from '../../kernel/areas/sites/domain-directory.ts';
import type { DomainPart } from '../../kernel/contract/points/domain-part.ts';
import type { FrontFolders } from '../../kernel/contract/points/web-server-part.ts';
import { frontsIn, hasDatabase } from './detection/detectors.ts';
import type { FoundSite } from './detection/docroot-scan.ts';
import type { NewLogin } from './database-login/rewriting.ts';
import type { Site } from './schema.ts';
import type databaseInfo from './database-info-job.ts';
import type writeLogin from './database-login-job.ts';
import type scan from './scan-job.ts';
import { readDocroots, readFound, saveDocroots, type ScannedDocroot } from './store.ts';
import { fail } from './errors.ts';

/** Sites of an account that are listed; the dashboard and the searches go through all of them. */
const MAX_SITES = 5000;
/** Docroots in one job. */
const BATCH = 16;
const LIMITS = { beside: import.meta.url, timeoutMs: 15_000, tooMuch: 'file_too_complex' } as const;
const SCAN = defineJob<typeof scan>({ ...LIMITS, script: 'scan-job' });
const DATABASE_INFO = defineJob<typeof databaseInfo>({ ...LIMITS, script: 'database-info-job' });
/** Longer, as it waits for the database server. */
const WRITE_LOGIN = defineJob<typeof writeLogin>({ ...LIMITS, timeoutMs: 60_000, script: 'database-login-job' });
/** Processes of their own, because a scan may be long and in the background. */
const PROCESSES = 4;
const IDLE_MS = 10_000;
/** How many checks old the sites may be that are returned while they are checked again. */
const STALE_CHECKS = 4;
/** How long other parts of the product wait for a check; the points that ask have 2 s. */
const LATELY_MS = 1000;

interface SitesOptions {
  readonly local: Store;
  readonly jobs: AccountJobs;
  readonly accounts: Accounts;
  readonly domains: DomainDirectory;
  readonly log: Log;
  readonly virtualRoot: string;
  readonly checkMs: number;
  /** Called when `fronts` has changed for a domain. */
  readonly onFronts: (domain: DomainPart) => void;
}

interface ScanTarget {
  readonly domain: Domain;
  /** Docroots of other domains below this one's, as paths below it. */
  readonly excluded: readonly string[];
  readonly scope: string;
}

interface LocatedSite {
  readonly site: Site;
  /** Its folder below the files root. */
  readonly components: readonly string[];
}

/** The settings by which a site reaches its database. */
export type SiteSettings = LocatedSite & NonNullable<Awaited<ReturnType<typeof databaseInfo>>>;

/** The sites of accounts: kept in the local store, and scanned again when the times of their folders change. */
export class Sites {
  readonly #options: SitesOptions;
  readonly #cache: AccountCache<readonly LocatedSite[]>;
  readonly #pool: JobPool;

  constructor(options: SitesOptions) {
    this.#options = options;
    this.#pool = options.jobs.open({ name: 'websites', processes: PROCESSES, idleMs: IDLE_MS });
    this.#cache = new AccountCache(options.checkMs, STALE_CHECKS * options.checkMs);
  }

  /** The account's sites by name; without a promise while the last check is recent. */
  of(account: Account): readonly Site[] | Promise<readonly Site[]> {
    const located = this.#locate(account);
    return located instanceof Promise ? located.then(sitesOf) : sitesOf(located);
  }

  /**
   * Resolves with the sites that the last finished check found, if the one in progress takes longer. Rejects while there is
   * none, because an account that was never scanned does not have no sites.
   */
  async lately(account: Account): Promise<readonly Site[]> {
    const located = this.#locate(account);
    if (!(located instanceof Promise)) return sitesOf(located);
    try {
      return sitesOf(await withDeadline(located, LATELY_MS));
    } catch (error) {
      const { local, domains } = this.#options;
      const [list, known] = await Promise.all([domains.list(account), readDocroots(local, account.id)]);
      if (!list.every(({ name }) => known.has(name))) throw error;
      return sitesOf(this.#describe(list, (name) => known.get(name)?.found ?? []));
    }
  }

  /** Returns, by the ids of the account's domains, the applications of the last check that answer for all below their folders. */
  async fronts(account: Account): Promise<FrontFolders> {
    const { local, domains } = this.#options;
    const [list, found] = await Promise.all([domains.list(account), readFound(local, account.id)]);
    return new Map(list.map(({ id, name }) => [id, frontsIn(found.get(name) ?? [])]));
  }

  /** Has the next request check the account's docroots, e.g. after a change of its domains. */
  forget(accountId: number): void {
    this.#cache.drop(accountId);
  }

  /** Errors: 404 `database_info_not_found`, 422 `invalid_config_file`, `file_too_complex`. */
  async settings(account: Account, domain: string): Promise<SiteSettings> {
    let found = await this.#settings(account, domain);
    if (found === undefined) {
      this.forget(account.id); // the application may have been installed since the last check
      found = await this.#settings(account, domain);
    }
    if (found === undefined)
      throw fail.database_info_not_found('there is no such site, or its configuration does not name a database');
    return found;
  }

  /**
   * Writes a login into a site's configuration if that is as it was found. Calls `set` once the file is ready to take its place. Errors:
   * those of the job and of `set`.
   */
  async writeLogin(account: Account, found: SiteSettings, login: NewLogin, set: () => Promise<void>): Promise<void> {
    const owner = this.#options.jobs.ownerOf(account);
    const input = { folder: found.components, type: found.site.type, before: found.info, login };
    const onAsk = () => set().then(() => ({ answer: null, bytes: Buffer.of() }));
    // Once it has begun, it is carried out even if the client is gone.
    await this.#pool.run(WRITE_LOGIN, owner, input, { isReserved: true, signal: new AbortController().signal, onAsk });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #settings(account: Account, domain: string): Promise<SiteSettings | undefined> {
    const name = normalised(domain);
    const located = (await this.#locate(account)).filter(({ site }) => hasDatabase(site.type));
    const exact = located.filter(({ site }) => site.site === name);
    const candidates = exact.length > 0 ? exact : located.filter(({ site }) => site.site.startsWith(`${name}/`));
    for (const { site, components } of candidates) {
      const owner = this.#options.jobs.ownerOf(account);
      const folder = { folder: components, type: site.type };
      const found = await this.#pool.run(DATABASE_INFO, owner, folder, { isReserved: true });
      if (found !== null) return { ...found, site, components };
    }
    return undefined;
  }

  #locate(account: Account): readonly LocatedSite[] | Promise<readonly LocatedSite[]> {
    return this.#cache.get(account, 'sites', () => this.#check(account));
  }

  /** Scans the docroots that changed, and stores the result. Rejects only when no sites are known. */
  async #check(account: Account): Promise<readonly LocatedSite[]> {
    const { local, domains, log, onFronts } = this.#options;
    const [list, known] = await Promise.all([domains.list(account), readDocroots(local, account.id)]);
    const targets = new Map(list.map((domain) => [domain.name, targetOf(domain, list)]));
    const scans = new Map<string, ScannedDocroot>();
    const ordered = [...targets.values()];
    let failure: unknown;
    for (let i = 0; i < ordered.length; i += BATCH) {
      try {
        for (const [name, scan] of await this.#scan(account, ordered.slice(i, i + BATCH), known)) scans.set(name, scan);
      } catch (error) {
        failure = error;
        log.warn(
          { account: account.username, err: error },
          'some docroots could not be scanned; the sites that were found before are kept',
        );
      }
    }
    if (failure !== undefined && scans.size + known.size === 0) throw failure;
    const removed = [...known.keys()].filter((name) => !targets.has(name));
    if (scans.size + removed.length > 0) await saveDocroots(this.#options, account, scans, removed);
    for (const domain of list) {
      const found = scans.get(domain.name)?.found;
      const isSame = !found || isDeepStrictEqual(frontsIn(found), frontsIn(known.get(domain.name)?.found ?? []));
      if (!isSame) onFronts({ ...domain, account });
    }
    return this.#describe(list, (name) => (scans.get(name) ?? known.get(name))?.found ?? []);
  }

  /** The new scans of those docroots that changed, by domain. */
  async #scan(
    account: Account,
    targets: readonly ScanTarget[],
    known: ReadonlyMap<string, ScannedDocroot>,
  ): Promise<[string, ScannedDocroot][]> {
    const docroots = targets.map(({ domain, excluded, scope }) => {
      const last = known.get(domain.name);
      return { components: domain.components, excluded, before: last?.scope === scope ? last.stamps : {} };
    });
    const scans = await this.#pool.run(SCAN, this.#options.jobs.ownerOf(account), docroots);
    return targets.flatMap(({ domain, scope }, i): [string, ScannedDocroot][] => {
      const scan = scans[i];
      return scan === undefined || scan === null ? [] : [[domain.name, { ...scan, scope }]];
    });
  }

  #describe(list: readonly Domain[], foundIn: (domain: string) => readonly FoundSite[]): LocatedSite[] {
    const { virtualRoot } = this.#options;
    return list
      .flatMap((domain) =>
        foundIn(domain.name).map(({ path, type, version }) => {
          const components = [...domain.components, ...(path === '' ? [] : path.split('/'))];
          const site = path === '' ? domain.name : `${domain.name}/${path}`;
          return { components, site: { site, type, version, path: clientPath(components, virtualRoot) } };
        }),
      )
      .toSorted((a, b) => (a.site.site < b.site.site ? -1 : 1))
      .slice(0, MAX_SITES);
  }
}

const lists = new WeakMap<readonly LocatedSite[], readonly Site[]>();

/** Returns the same list for the same check, so that repeated requests cost nothing. */
function sitesOf(located: readonly LocatedSite[]): readonly Site[] {
  let sites = lists.get(located);
  if (sites === undefined) lists.set(located, (sites = located.map(({ site }) => site)));
  return sites;
}

function targetOf(domain: Domain, list: readonly Domain[]): ScanTarget {
  const docroot = domain.components.join('/');
  const prefix = docroot === '' ? '' : `${docroot}/`;
  const excluded = list
    .map(({ components }) => components.join('/'))
    .filter((path) => path.startsWith(prefix) && path.length > prefix.length)
    .map((path) => path.slice(prefix.length))
    .toSorted();
  return { domain, excluded, scope: JSON.stringify([docroot, ...excluded]) };
}

/** The host in lower-case ASCII, and the path as it is, without the slash at the end. */
function normalised(domain: string): string {
  const [host = '', ...path] = domain.replace(/\/+$/, '').split('/');
  return [domainToASCII(host.replace(/\.$/, '')), ...path].join('/');
}
