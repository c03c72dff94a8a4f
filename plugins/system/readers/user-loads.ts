import { setTimeout as delay } from 'node:timers/promises';
import type { AccountLoad } from '../../../kernel/contract/points/account-report.ts';
import { IN_CONTAINER } from '../../../kernel/kit/engine/container-groups.ts';
import { inTurn, processKey, readProcesses, readProcessFile, showsAll, TICKS_PER_SECOND } from './process-rows.ts';
import type { ProcessReading, ProcessRow } from './process-rows.ts';

/** The load by the processes of a user; memory that several of them share counts for each. */
export interface UserLoad extends AccountLoad {
  readonly uid: number;
}

/** Between the two readings that the first figures come from. */
const FIRST_MS = 500;
/** Figures would tell of too long a time with an older reading before. */
const BEFORE_MS = 60_000;

/** Sums what processes take by the user that they run as. Leaves out root, and containers of the machine's own engine. */
export class UserLoads {
  readonly #proc: string;
  #before: ProcessReading | undefined;
  #flight: Promise<readonly UserLoad[] | null> | undefined;

  /** `proc` is where the kernel's files are. */
  constructor(proc: string) {
    this.#proc = proc;
  }

  /** Resolves with the load since the last call, or in half a second; with `null` where processes of others are hidden. */
  read(): Promise<readonly UserLoad[] | null> {
    return (this.#flight ??= this.#read().finally(() => (this.#flight = undefined)));
  }

  async #read(): Promise<readonly UserLoad[] | null> {
    let before = this.#before;
    if (before === undefined || performance.now() - before.atMs > BEFORE_MS) {
      before = await readProcesses(this.#proc);
      await delay(FIRST_MS);
    }
    const now = await readProcesses(this.#proc);
    this.#before = now;
    if (!showsAll(now)) return null;
    const earlier = new Map(before.rows.map((row) => [processKey(row), row.ticks]));
    const seconds = Math.max(0.001, (now.atMs - before.atMs) / 1000);
    const loads = new Map<number, UserLoad>();
    const programs = now.rows.filter(({ pages }) => pages > 0); // the kernel's own threads have none
    await inTurn(programs, async (row) => {
      const owner = await this.#owner(row);
      if (owner === undefined) return;
      const { uid, memoryBytes } = owner;
      const cpuPercent = (100 * (row.ticks - (earlier.get(processKey(row)) ?? 0))) / TICKS_PER_SECOND / seconds;
      const sum = loads.get(uid) ?? { cpuPercent: 0, memoryBytes: 0 };
      loads.set(uid, {
        uid,
        cpuPercent: sum.cpuPercent + cpuPercent,
        memoryBytes: sum.memoryBytes + memoryBytes,
      });
    });
    return [...loads.values()];
  }

  async #owner({ pid }: ProcessRow): Promise<{ readonly uid: number; readonly memoryBytes: number } | undefined> {
    const status = await readProcessFile(this.#proc, pid, 'status');
    const uid = Number(/^Uid:\t(\d+)/m.exec(status)?.[1] ?? 0);
    // what containers of the machine's own engine take, the engine tells
    if (uid === 0 || IN_CONTAINER.test(await readProcessFile(this.#proc, pid, 'cgroup'))) return undefined;
    return { uid, memoryBytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024 };
  }
}
