import { domainToASCII } from 'node:url';
import { AccountCache } from '../../kernel/concurrency/account-cache.ts';
import type { Account } from '../../kernel/identity/accounts.ts';
import { HttpError } from '../../kernel/errors.ts';
import { clientPath } from '../../kernel/system/safe-folder.ts';
import type { Log } from '../../kernel/log.ts';
import type { Store } from '../../kernel/storage/store.ts';
import { WorkerPool } from '../../kernel/concurrency/worker-pool.ts';
import type { Domain, DomainsService } from '../domains/service.ts';
import { CONFIG_FILES } from './database-info/config-files.ts';
import type { DocrootScan } from './detection/docroot-scan.ts';
import type { ScanReply, ScanRequest } from './scan-worker.ts';
import type { DatabaseInfo, Site } from './schema.ts';
import { readDocroots, saveDocroots, type Docroot } from './store.ts';

/** Docroots in one question, and how long one question may take, whether of those or of a configuration file. */
const BATCH = 16;
const LOOK_MS = 15_000;
const WAITING = 1000;
const IDLE_MS = 30_000;

export interface SitesParts {
  readonly store: Store;
  readonly domains: DomainsService;
  readonly log: Log;
  readonly virtualRoot: string;
  readonly checkMs: number;
}

/** A docroot to be looked into, and what its look is kept under. */
interface ScanTarget {
  readonly domain: Domain;
  readonly excluded: readonly string[];
  readonly scope: string;
}

interface LocatedSite {
  readonly site: Site;
  /** Its folder below the files root. */
  readonly components: readonly string[];
}

/** The websites of accounts: kept in the store, and looked for again where the times of folders say so. */
export class Sites {
  readonly #parts: SitesParts;
  readonly #cache: AccountCache<readonly LocatedSite[]>;
  readonly #thread = new WorkerPool<ScanRequest, ScanReply>({
    beside: import.meta.url,
    script: 'scan-worker',
    atOnce: 1,
    waiting: WAITING,
    timeoutMs: LOOK_MS,
    idleMs: IDLE_MS,
    worker: { name: 'websites', resourceLimits: { maxOldGenerationSizeMb: 512 } },
  });

  constructor(parts: SitesParts) {
    this.#parts = parts;
    this.#cache = new AccountCache(parts.checkMs);
  }

  /** By name; at once, without a promise, while what was found is fresh. */
  of(account: Account): readonly Site[] | Promise<readonly Site[]> {
    const places = this.#places(account);
    return places instanceof Promise ? places.then(sitesOf) : sitesOf(places);
  }

  /** The account's domains changed: what is remembered of it is looked at again when asked. */
  forget(accountId: number): void {
    this.#cache.drop(accountId);
  }

  /** What the configuration of a site says. Errors: 404 `database_info_not_found`, 422 `invalid_config_file`. */
  async databaseInfo(account: Account, domain: string): Promise<DatabaseInfo> {
    let info = await this.#databaseInfo(account, domain);
    if (info === undefined) {
      this.forget(account.id); // it may have been installed since
      info = await this.#databaseInfo(account, domain);
    }
    if (info === undefined)
      throw new HttpError(
        'database_info_not_found',
        'there is no such site with a configuration that tells of a database',
      );
    return info;
  }

  async #databaseInfo(account: Account, domain: string): Promise<DatabaseInfo | undefined> {
    const wanted = normalised(domain);
    const places = (await this.#places(account)).filter(({ site }) => CONFIG_FILES[site.type] !== undefined);
    const exact = places.find(({ site }) => site.site === wanted);
    for (const { site, components } of exact === undefined
      ? places.filter((place) => place.site.site.startsWith(`${wanted}/`))
      : [exact]) {
      const info = await this.#thread.ask({ filesRoot: account.filesRoot, folder: components, type: site.type });
      if (info !== undefined) return info as DatabaseInfo;
    }
    return undefined;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  #places(account: Account): readonly LocatedSite[] | Promise<readonly LocatedSite[]> {
    return this.#cache.get(account, 'sites', () => this.#look(account));
  }

  async #look(account: Account): Promise<readonly LocatedSite[]> {
    const { store, domains, log } = this.#parts;
    const [list, known] = await Promise.all([domains.list(account), readDocroots(store, account.id)]);
    const now = new Map(list.map((domain) => [domain.name, wantedOf(domain, list)]));
    const looks = new Map<string, DocrootScan & { scope: string }>();
    const names = [...now.keys()];
    let failure: unknown;
    for (let i = 0; i < names.length; i += BATCH) {
      try {
        for (const [name, look] of await this.#ask(account, now, known, names.slice(i, i + BATCH)))
          looks.set(name, look);
      } catch (error) {
        failure = error;
        log.warn(
          { account: account.username, err: error },
          'some docroots could not be looked at; their sites are those that were found before',
        );
      }
    }
    if (failure !== undefined && looks.size + known.size === 0) throw failure;
    const gone = [...known.keys()].filter((name) => !now.has(name));
    if (looks.size + gone.length > 0) await saveDocroots(store, account.id, looks, gone);
    return this.#describe(list, (name) => looks.get(name) ?? known.get(name));
  }

  /** What changed in the docroots of some domains. */
  async #ask(
    account: Account,
    now: ReadonlyMap<string, ScanTarget>,
    known: ReadonlyMap<string, Docroot>,
    names: readonly string[],
  ): Promise<[string, DocrootScan & { scope: string }][]> {
    const wanted = names.flatMap((name) => now.get(name) ?? []);
    const docroots = wanted.map(({ domain, excluded, scope }) => ({
      components: domain.components,
      excluded,
      before: stampsOf(known.get(domain.name), scope),
    }));
    const answer = (await this.#thread.ask({ filesRoot: account.filesRoot, docroots })) as readonly (
      DocrootScan | undefined
    )[];
    return wanted.flatMap(({ domain, scope }, i): [string, DocrootScan & { scope: string }][] =>
      answer[i] === undefined ? [] : [[domain.name, { ...answer[i], scope }]],
    );
  }

  #describe(list: readonly Domain[], found: (domain: string) => Pick<Docroot, 'found'> | undefined): LocatedSite[] {
    return list
      .flatMap(({ name, components }) =>
        (found(name)?.found ?? []).map(({ path, type, version }) => {
          const below = [...components, ...(path === '' ? [] : path.split('/'))];
          return {
            components: below,
            site: {
              site: path === '' ? name : `${name}/${path}`,
              type,
              version,
              path: clientPath(below, this.#parts.virtualRoot),
            },
          };
        }),
      )
      .toSorted((a, b) => (a.site.site < b.site.site ? -1 : 1));
  }
}

const lists = new WeakMap<readonly LocatedSite[], readonly Site[]>();

/** One list for each look, so that who asks often gets the same one. */
function sitesOf(places: readonly LocatedSite[]): readonly Site[] {
  let sites = lists.get(places);
  if (sites === undefined) lists.set(places, (sites = places.map(({ site }) => site)));
  return sites;
}

function stampsOf(known: Docroot | undefined, scope: string): Docroot['stamps'] {
  return known?.scope === scope ? known.stamps : {};
}

function wantedOf(domain: Domain, list: readonly Domain[]): ScanTarget {
  const excluded = foreignTo(domain, list);
  return { domain, excluded, scope: JSON.stringify([domain.components.join('/'), ...excluded]) };
}

/** Docroots of other domains that lie below this one's, as paths below it. */
function foreignTo(domain: Domain, list: readonly Domain[]): string[] {
  const prefix = domain.components.length === 0 ? '' : `${domain.components.join('/')}/`;
  const others = list
    .map(({ components }) => components.join('/'))
    .filter((path) => path.startsWith(prefix) && path.length > prefix.length);
  return others.map((path) => path.slice(prefix.length)).toSorted();
}

/** The host part in lower-case ASCII, the path as it is, without the slash at the end. */
function normalised(domain: string): string {
  const [host = '', ...path] = domain.replace(/\/+$/, '').split('/');
  return [domainToASCII(host.replace(/\.$/, '')), ...path].join('/');
}
