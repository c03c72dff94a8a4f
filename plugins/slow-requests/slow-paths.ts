import type { Host } from '../../kernel/contract/plugin.ts';
import {
  domainNamed,
  NO_DOMAINS,
  type Domain,
  type DomainDirectory,
} from '../../kernel/areas/sites/domain-directory.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { NodeSlowPaths, Order, SlowPaths, SlowPathsQuery, SlowRequestsConfig } from './schema.ts';
import { dayBefore, pathsOfAccount, pathsOfAll, type Page, type PathSum } from './store.ts';

/** The names of domains by their ids. */
type Names = ReadonlyMap<number, string>;
type PageQuery = Omit<SlowPathsQuery, 'domain_url'>;

/** Paths that were slow, for customers and for operators. */
export class SlowPathLists {
  readonly #host: Host<SlowRequestsConfig>;
  readonly #domains: DomainDirectory;
  readonly #isCounted: boolean;

  constructor(host: Host<SlowRequestsConfig>) {
    this.#host = host;
    this.#domains = host.peer<DomainDirectory>('domains') ?? NO_DOMAINS;
    this.#isCounted = host.peer('webserver') !== undefined;
  }

  /** Returns what was slow at the domains of an account, or at one of them. Errors: 404 `domain_not_found`. */
  async ofAccount(account: Account, { domain_url: name, ...query }: SlowPathsQuery): Promise<SlowPaths> {
    const at = { path: '/domain_url' };
    const asked =
      name === undefined ? await this.#domains.list(account) : [await domainNamed(this.#domains, account, name, at)];
    const names = namesById(asked);
    const of = { accountId: account.id, domainIds: [...names.keys()] };
    const { sums, ...page } = await this.#page(query, (each) => pathsOfAccount(this.#host.local, of, each));
    const paths = sums.map((sum) => ({ ...toPath(sum, names), slowest_query: sum.slowest.query }));
    return { counted: this.#isCounted, ...page, paths };
  }

  /** Returns what was slow at the domains of all accounts of this node. */
  async ofNode(query: PageQuery): Promise<NodeSlowPaths> {
    const { sums, ...page } = await this.#page(query, (each) => pathsOfAll(this.#host.local, each));
    const owners = await this.#ownersOf(sums);
    const paths = sums.flatMap((sum) => {
      const { username, names } = owners.get(sum.accountId) ?? {};
      return username !== undefined && names?.has(sum.domainId) ? [{ username, ...toPath(sum, names) }] : [];
    });
    return { ...page, paths };
  }

  async #page({ days, sort, limit, cursor }: PageQuery, read: (page: Page) => Promise<PathSum[]>) {
    const { slow_seconds, kept_days: most } = this.#host.config;
    const [since, offset] = [dayBefore(Math.min(days, most)), Number(cursor)];
    const found = await read({ day: since, order: sort as Order, limit: limit + 1, offset });
    const next_cursor = found.length > limit ? String(offset + limit) : null;
    return { slow_seconds, since, next_cursor, sums: found.slice(0, limit) };
  }

  /** Leaves out accounts that were removed or have moved away since. */
  async #ownersOf(sums: readonly PathSum[]) {
    const { accounts } = this.#host.identity;
    const owners = new Map<number, { readonly username: string; readonly names: Names }>();
    for (const id of new Set(sums.map(({ accountId }) => accountId))) {
      const account = await accounts.byId(id);
      if (account === undefined || !accounts.isHere(account)) continue;
      owners.set(id, { username: account.username, names: namesById(await this.#domains.list(account)) });
    }
    return owners;
  }
}

const time = (ms: number): string => new Date(ms).toISOString();
const namesById = (domains: readonly Domain[]): Names => new Map(domains.map(({ id, name }) => [id, name]));

const toPath = ({ domainId, method, path, requests, tookMs, lastAt, slowestMs, slowest }: PathSum, names: Names) => ({
  ...{ domain_url: names.get(domainId) ?? '', method, path, requests },
  ...{ total_ms: tookMs, average_ms: Math.round(tookMs / requests), last_at: time(lastAt) },
  ...{ slowest_ms: slowestMs, slowest_at: time(slowest.at), slowest_status: slowest.status },
});
