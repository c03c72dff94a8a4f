import type { Host } from '../../../kernel/contract/plugin.ts';
import { eventWakers } from '../../../kernel/contract/workers.ts';
import { startReconciling, type AttemptPart } from '../../../kernel/kit/waiting/reconciling.ts';
import { programKey, type NamedProgram } from '../../../kernel/kit/programs/program-folder.ts';
import type { AccountPools } from './account-pools.ts';
import type { PhpConfig } from '../schema.ts';
import { wantedPools, type Wanted } from './wanted-pools.ts';

/** How soon a pool that ended is started again, and what other processes changed, such as the command line, is seen. */
const AGAIN_MS = 2500;
/** Pools that start at a time. */
const STARTS = 4;
const EVENTS = new Set([
  ...['account.suspended', 'account.unsuspended', 'account.removed', 'account.moved'],
  ...['php.version_set', 'php.options_set', 'php.ini_set', 'domain.removed'],
]);

/** Keeps the pools that domains need running, and no others. */
export class PoolKeeper {
  readonly #host: Host<PhpConfig>;
  readonly #pools: AccountPools;
  readonly #isAdding: (accountId: number) => boolean;
  /** By pool, since when no domain needs it, on the monotonic clock. */
  readonly #unused = new Map<string, number>();
  #problem: () => string | undefined = () => undefined;

  /** `isAdding`: see `PhpSites.isAdding`. */
  constructor(host: Host<PhpConfig>, pools: AccountPools, isAdding: (accountId: number) => boolean) {
    this.#isAdding = isAdding;
    this.#host = host;
    this.#pools = pools;
  }

  /** Why pools are not as they should be; `undefined` if they are. */
  get problem(): string | undefined {
    return this.#problem();
  }

  /** Reconciles now, after events that concern pools, and every few seconds; one run at a time. */
  start(): void {
    const wakers = eventWakers(this.#host, EVENTS);
    this.#problem = startReconciling({ ...this.#host, wakers, everyMs: AGAIN_MS, subject: 'pools of PHP' }, (attempt) =>
      this.#reconcile(attempt),
    );
  }

  async #reconcile(attempt: AttemptPart): Promise<void> {
    const wanted = await wantedPools(this.#host, this.#pools);
    const running = await this.#pools.verbs.running(null);
    await this.#end(running, wanted, attempt);
    const there = new Set(running.map(programKey));
    const missing = [...wanted].filter(([key]) => !there.has(key)).map(([, each]) => each);
    for (let i = 0; i < missing.length; i += STARTS)
      await Promise.all(
        missing
          .slice(i, i + STARTS)
          .map(({ account, pool }) =>
            attempt(`PHP ${pool.version} of ${account.username}`, () =>
              this.#pools.inTurn(account, () => this.#pools.start(account, pool, true)),
            ),
          ),
      );
    await attempt('pools that nobody asks', () => this.#pools.verbs.rest(null));
  }

  async #end(
    running: readonly NamedProgram[],
    wanted: ReadonlyMap<string, Wanted>,
    attempt: AttemptPart,
  ): Promise<void> {
    const { accounts } = this.#host.identity;
    const closed = new Set<number>();
    for (const pool of running) {
      const key = programKey(pool);
      const { accountId } = pool;
      if (!accounts.isOpenHere(await accounts.byId(accountId))) closed.add(accountId);
      else if (wanted.has(key)) this.#unused.delete(key);
      else {
        const since = this.#unused.get(key) ?? performance.now();
        this.#unused.set(key, since);
        if (performance.now() - since >= this.#host.config.drain_seconds * 1000)
          await attempt(`the pool ${key}`, () => this.#pools.inTurn({ id: accountId }, () => this.#stop(pool)));
      }
    }
    for (const id of closed) await attempt(`pools of the account ${id}`, () => this.#pools.verbs.end(id));
    const there = new Set(running.map(programKey));
    for (const key of this.#unused.keys()) if (!there.has(key)) this.#unused.delete(key);
  }

  /** A change that has just ended may need the pool after all, and so may one that has just begun. */
  async #stop(pool: NamedProgram): Promise<void> {
    if (this.#isAdding(pool.accountId)) return;
    if (!(await wantedPools(this.#host, this.#pools, pool.accountId)).has(programKey(pool)))
      await this.#pools.verbs.stop(pool);
  }
}
