import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { askPool, STATUS_PATH } from '../../../kernel/kit/programs/fpm/fastcgi.ts';
import { programKey, type NamedProgram, type ProgramFolder } from '../../../kernel/kit/programs/program-folder.ts';
import { FairQueue } from '../../../kernel/kit/waiting/fair-queue.ts';
import { Polled } from '../../../kernel/kit/waiting/polled.ts';
import { lookAt, markNow, type SeenPool } from '../../../kernel/kit/programs/fpm/seen-pool.ts';
import { readStatus } from '../../../kernel/kit/programs/fpm/fpm-status.ts';

/** The figures of a pool. */
export interface PoolFigures extends NamedProgram {
  readonly isAsleep: boolean;
  readonly processes: number;
  readonly memoryBytes: number;
  /** Since its master started. */
  readonly runningSeconds: number;
  /** Processes that run scripts; `null` if the pool was asked and has not answered. */
  readonly active: number | null;
  /** Since its master started; `null` while that has not been asked. */
  readonly requests: number | null;
  /** How often there was no further process for a request. */
  readonly limitReached: number | null;
}
export interface Measured {
  readonly pools: readonly PoolFigures[];
  /** Requests of all pools that were seen since this process started; it never falls. */
  readonly served: number;
}

/** The last that is known of a master. */
interface Known {
  /** See `Master.id`. */
  readonly master: string;
  /** Questions, which it counts as requests; the first was whether it answers at all. */
  asked: number;
  /** See `SeenPool.mark`. */
  mark: string;
  notBefore: number;
  active: number | null;
  requests: number | null;
  limitReached: number | null;
}

/** Not to measure for more than a third of the time, where there is much. */
const freshMs = (tookMs: number) => Math.max(1000, 2 * tookMs);
const STATUS = { timeoutMs: 300, mostBytes: 4096 } as const;
const ASKED_AT_ONCE = 64;
/** After this, no further pool is asked: those that do not answer must not hold up the others for long. */
const ASKING_MS = 700;
/** How long one is left alone that has not answered. */
const AGAIN_MS = 5000;
/** How long a process works on after its answer. */
const SETTLE_MS = 20;
/** The most that one pool adds to `served` between two measurements, whatever it says. */
const MOST_GROWTH = 1_000_000;

/**
 * Measures all pools, for all who ask. A question takes one of a pool's processes, which then waits half a minute for the next: so it is
 * put only to those that have some, and only if these have run since. No master is woken, nor kept awake.
 */
export class PoolMeter {
  readonly #folder: ProgramFolder;
  readonly #touched: (named: NamedProgram) => number;
  readonly #known = new Map<string, Known>();
  readonly #asking = new FairQueue({ slots: ASKED_AT_ONCE });
  readonly #newest = new Polled({ measure: () => this.#measure(), freshMs });
  #served = 0;

  /** `touched`: how often the service has connected to a pool for other reasons. */
  constructor(folder: ProgramFolder, touched: (named: NamedProgram) => number = () => 0) {
    this.#folder = folder;
    this.#touched = touched;
  }

  async read(): Promise<Measured> {
    return this.#newest.read();
  }

  async #measure(): Promise<Measured> {
    const pools: SeenPool[] = [];
    for (const named of await this.#folder.running()) {
      const pool = await lookAt(this.#folder, named);
      if (pool !== undefined) pools.push(pool);
    }
    this.#remember(pools);
    const until = performance.now() + ASKING_MS;
    const asked = pools.filter((pool) => this.#isDue(pool));
    await Promise.all(asked.map((pool) => this.#asking.run(programKey(pool), () => this.#ask(pool, until))));
    if (asked.length > 0) await delay(SETTLE_MS);
    for (const pool of asked) {
      const known = this.#known.get(programKey(pool));
      if (known !== undefined) known.mark = markNow(pool); // with what its answer took
      await nextTurn(); // others are served meanwhile
    }
    return { pools: pools.map((pool) => this.#figures(pool)), served: this.#served };
  }

  /** Forgets masters that are gone. */
  #remember(pools: readonly SeenPool[]): void {
    const there = new Set(pools.map(programKey));
    for (const key of this.#known.keys()) if (!there.has(key)) this.#known.delete(key);
    for (const pool of pools) {
      const { master } = pool;
      if (master === undefined) this.#known.delete(programKey(pool));
      else if (this.#known.get(programKey(pool))?.master !== master) {
        const nothing = { active: null, requests: null, limitReached: null };
        this.#known.set(programKey(pool), { master, asked: 1, mark: '', notBefore: 0, ...nothing });
      }
    }
  }

  #isDue(pool: SeenPool): boolean {
    const known = this.#known.get(programKey(pool));
    if (known === undefined || pool.workers === 0) return false;
    return pool.mark !== known.mark && performance.now() >= known.notBefore;
  }

  /** Never rejects. */
  async #ask(pool: SeenPool, until: number): Promise<void> {
    const known = this.#known.get(programKey(pool));
    if (known === undefined || performance.now() > until) return;
    known.asked += 1;
    try {
      const answer = await askPool(this.#folder.socket(pool.accountId, pool.name), STATUS_PATH, STATUS);
      const { accepted, active, limitReached } = readStatus(answer.toString('latin1'));
      const requests = Math.max(known.requests ?? 0, accepted - known.asked - this.#touched(pool));
      this.#served += Math.min(MOST_GROWTH, requests - (known.requests ?? 0));
      // the one that answers is none that runs a script
      Object.assign(known, { requests, limitReached, active: Math.min(Math.max(0, active - 1), pool.workers) });
    } catch {
      // it has no free process, or is in somebody's hands
      known.active = null;
      known.notBefore = performance.now() + AGAIN_MS;
    }
  }

  #figures(pool: SeenPool): PoolFigures {
    const { accountId, name, workers, memoryBytes, runningSeconds, master } = pool;
    const known = this.#known.get(programKey(pool));
    return {
      ...{ accountId, name, isAsleep: master === undefined, processes: workers, memoryBytes, runningSeconds },
      active: workers === 0 ? 0 : (known?.active ?? null),
      requests: known?.requests ?? null,
      limitReached: known?.limitReached ?? null,
    };
  }
}
