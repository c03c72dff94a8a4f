import type { Host } from '../../../kernel/contract/plugin.ts';
import type { PhpPool, PhpPoolDirectory, PhpPoolState } from '../../../kernel/areas/php-pools.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { Polled } from '../../../kernel/kit/waiting/polled.ts';
import { programKey } from '../../../kernel/kit/programs/program-folder.ts';
import type { AccountPools } from './account-pools.ts';
import type { PoolFigures } from '../pools/pool-meter.ts';
import type { PhpConfig } from '../schema.ts';
import { wantedPools, type Wanted } from './wanted-pools.ts';

const FRESH_MS = 1000;

/** The pools of this node, with whose they are and what they are at. */
export class PoolList implements PhpPoolDirectory {
  readonly #host: Host<PhpConfig>;
  readonly #pools: AccountPools;
  readonly #newest = new Polled({ measure: () => this.#measure(), freshMs: FRESH_MS });

  constructor(host: Host<PhpConfig>, pools: AccountPools) {
    this.#host = host;
    this.#pools = pools;
  }

  async read(): ReturnType<PhpPoolDirectory['read']> {
    return this.#newest.read();
  }

  restart(account: Account, name: string): Promise<boolean> {
    return this.#pools.inTurn(account, () => this.#pools.verbs.restart({ accountId: account.id, name }));
  }

  async #measure(): ReturnType<PhpPoolDirectory['read']> {
    const [wanted, now] = await Promise.all([wantedPools(this.#host, this.#pools), this.#pools.verbs.figures(null)]);
    const seen = new Map(now.pools.map((pool) => [programKey(pool), pool]));
    const problems = new Map(now.failures.map((failed) => [programKey(failed), failed.problem]));
    const pools = [...wanted].map(([key, each]) =>
      toPool(each, this.#pools.nameOf(each.pool), seen.get(key), problems.get(key) ?? null),
    );
    for (const [key, figures] of seen) {
      const account = wanted.has(key) ? undefined : await this.#host.identity.accounts.byId(figures.accountId);
      if (account !== undefined) pools.push(toEnding(account, figures));
    }
    return { pools, served: now.served };
  }
}

const NOTHING = { processes: 0, active: 0, memoryBytes: 0, runningSeconds: 0, requests: null, limitReached: null };

/** Returns a pool that domains need, with what it is at. */
export function toPool(
  { account: { username }, pool, domains }: Wanted,
  name: string,
  figures: PoolFigures | undefined,
  problem: string | null,
): PhpPool {
  const [version, mostProcesses] = [pool.version, pool.workers];
  const about = { username, name, version, domains: domains.toSorted(), problem, mostProcesses };
  if (figures === undefined) return { ...about, ...NOTHING, state: problem === null ? 'missing' : 'failed' };
  const { processes, active: told } = figures;
  // where none is free to say so, all have a request
  const active = told ?? (processes >= mostProcesses ? processes : null);
  const state: PhpPoolState =
    problem !== null ? 'failed' : figures.isAsleep ? 'asleep' : active === mostProcesses ? 'busy' : 'running';
  return { ...about, ...shown(figures), active, state };
}

function toEnding({ username }: Account, figures: PoolFigures): PhpPool {
  const [version = ''] = figures.name.split('-');
  return {
    ...{ username, name: figures.name, version, domains: [], state: 'ending', problem: null, mostProcesses: 0 },
    ...shown(figures),
  };
}

const shown = ({ processes, active, memoryBytes, runningSeconds, requests, limitReached }: PoolFigures) => ({
  ...{ processes, active, memoryBytes, runningSeconds, requests, limitReached },
});
