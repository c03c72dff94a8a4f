import type { ImportNotes } from '../../kernel/contract/points/archive-part.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Containers, ListedContainer } from '../../kernel/areas/containers.ts';
import type { SiteRules } from '../../kernel/contract/points/web-server-part.ts';
import { SiteValues, type NamedValue, type SiteSubject } from '../../kernel/areas/sites/site-values.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { fail } from './errors.ts';
import type { NewProxiedPaths, ProxiedSite } from './schema.ts';
import { CONTAINER_ADDRESS, PROXIED_PATH, type ProxyRule } from './site-directives.ts';

type Path = NewProxiedPaths['paths'][number];

/** How soon it is seen that a container has another address, or none. */
const AGAIN_MS = 2000;
/** Events after which a container may have another address, or none. */
const EVENTS = new Set(['container.started', 'container.stopped', 'container.restarted', 'container.removed']);

/** The paths of sites that containers answer for. */
export class SitesPaths {
  readonly #host: Host;
  readonly #containers: Pick<Containers, 'all' | 'running'>;
  readonly #sites: SiteValues<readonly Path[]>;
  /** By account, as the engine told last. */
  readonly #known = new Map<number, readonly ListedContainer[]>();

  constructor(host: Host) {
    this.#host = host;
    this.#containers = host.peer<Containers>('containers') ?? { all: async () => [], running: async () => [] };
    this.#sites = new SiteValues(host, { table: 'proxied_paths', name: 'proxied paths', initial: [] });
  }

  /** Returns the paths of each domain of an account, by name, and the containers that there are. */
  async list(account: Account) {
    const containers = await this.#containers.all(account);
    return {
      sites: (await this.#sites.list(account)).map((site) => entry(site, containers)),
      containers: containers.map((each) => {
        const ports = each.ports.filter(({ protocol }) => protocol === 'tcp').map(({ privatePort }) => privatePort);
        return { name: nameOf(each), ports: [...new Set(ports)] };
      }),
    };
  }

  /** Returns what is kept of the domains of an account that have paths. */
  async kept(account: Account): Promise<(NewProxiedPaths & { readonly domain_url: string })[]> {
    const sites = (await this.#sites.list(account)).filter(({ value }) => value.length > 0);
    return sites.map(({ domain, value }) => ({ domain_url: domain, paths: [...value] }));
  }

  async rules(domainIds: readonly number[]): Promise<SiteRules> {
    const sites = [...(await this.#sites.served(domainIds))].filter(([, { value }]) => value.length > 0);
    const containers = new Map<number, readonly ListedContainer[]>();
    for (const accountId of new Set(sites.map(([, site]) => site.accountId)))
      containers.set(accountId, await this.#reached(accountId));
    return new Map(
      sites.map(([id, { accountId, value }]) => {
        const found = containers.get(accountId) ?? [];
        const rule = ({ path, container, port, strips_path: stripsPath }: Path): ProxyRule => {
          return { path, port, stripsPath, address: addressOf(named(found, container)) };
        };
        return [id, { parts: { 'proxied-paths': value.map(rule) } }];
      }),
    );
  }

  /**
   * Errors: 404 `domain_not_found`, `container_not_found`; 400 `invalid_proxied_path`; 503 `containers_unavailable`; any error of a
   * provider of `siteChanged`.
   */
  async set(subject: SiteSubject, { paths }: NewProxiedPaths): Promise<ProxiedSite> {
    const domain = await this.#sites.domain(subject);
    const containers = await this.#containers.all(subject.account);
    paths.forEach(({ path, container }, i) => {
      const at = (member: string) => ({ path: `/paths/${i}/${member}` });
      if (!PROXIED_PATH.test(path))
        throw fail.invalid_proxied_path(
          'a path consists of names with letters, digits, dots, hyphens and underscores',
          at('path'),
        );
      if (paths.findIndex((each) => each.path === path) !== i)
        throw fail.invalid_proxied_path('each path may be named once', at('path'));
      if (named(containers, container) === undefined)
        throw fail.container_not_found('the account has no container of this name', at('container'));
    });
    const changed = await this.#sites.change(
      subject,
      domain,
      () => paths,
      (by, domain_url) => ({
        ...by,
        type: 'proxied_paths.set',
        text: `changed for which paths of ${domain_url} containers answer`,
        data: { domain_url, paths: paths.length },
      }),
    );
    return entry(changed, containers);
  }

  /** Sets those of what came with an account whose containers are there. Errors: those of `set`. */
  async restore(subject: SiteSubject, { paths }: NewProxiedPaths, { missing }: ImportNotes): Promise<ProxiedSite> {
    const containers = await this.#containers.all(subject.account);
    const isThere = ({ path, container }: Path) => {
      if (named(containers, container) !== undefined) return true;
      missing.push(`${path} of ${subject.domain}: there is no container ${container}`);
      return false;
    };
    return this.set(subject, { paths: paths.filter(isThere) });
  }

  /** Serves sites with the addresses that their containers have, from now on. Returns a function that tells what failed in the last run. */
  start(): () => string | undefined {
    return this.#sites.follow({
      events: EVENTS,
      everyMs: AGAIN_MS,
      subject: 'paths that containers answer for',
      stateOf: async (account) => {
        // of the list that all share: the engine is asked for each account once something has changed
        const running = await this.#containers.running(account);
        return JSON.stringify(running.map((each) => [nameOf(each), each.address]).toSorted());
      },
      concerns: (paths) => paths.length > 0,
    });
  }

  /** Resolves with what was known last while the engine does not answer: nobody else gives an address to a container. */
  async #reached(accountId: number): Promise<readonly ListedContainer[]> {
    const account = await this.#host.identity.accounts.byId(accountId);
    if (account === undefined) {
      this.#known.delete(accountId);
      return [];
    }
    try {
      const containers = await this.#containers.all(account);
      this.#known.set(accountId, containers);
      return containers;
    } catch {
      // the plugin containers tells that the engine is away
      return this.#known.get(accountId) ?? [];
    }
  }
}

/** Returns where web servers reach a container: those of networks elsewhere, which engines may be told of, are not asked. */
const addressOf = (found: ListedContainer | undefined) =>
  found !== undefined && CONTAINER_ADDRESS.test(found.address) ? found.address : '';
const nameOf = ({ names }: ListedContainer): string => names[0] ?? '';
const named = (all: readonly ListedContainer[], name: string) => all.find(({ names }) => names.includes(name));

function entry({ domain, value }: NamedValue<readonly Path[]>, containers: readonly ListedContainer[]): ProxiedSite {
  const state = (found: ListedContainer | undefined) => {
    if (found === undefined) return 'missing';
    if (addressOf(found) !== '') return 'served';
    return found.state === 'running' ? 'unreachable' : 'stopped';
  };
  return {
    domain_url: domain,
    paths: value.map((path) => ({ ...path, state: state(named(containers, path.container)) })),
  };
}
