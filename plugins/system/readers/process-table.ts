import { readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { SystemReport } from '../../../kernel/areas/machine.ts';
import { processKey, readProcesses, readProcessFile, showsAll, TICKS_PER_SECOND } from './process-rows.ts';
import type { ProcessReading, ProcessRow } from './process-rows.ts';

type Processes = SystemReport['processes'];
type Process = Processes['top'][number];

const TOP = 20;
/** Between the two readings that the first figures come from. */
const FIRST_MS = 500;
/** Figures would tell of too long a time with an older reading before. */
const BEFORE_MS = 60_000;
const HIDDEN = 'the processes of others are hidden from the service (ProtectProc=), and no broker lists them';

/** The processes of the host, from the files that `ps` and `top` read, see proc(5). */
export class ProcessTable {
  readonly #proc: string;
  #before: ProcessReading | undefined;
  #flight: Promise<Processes> | undefined;

  /** `proc` is where the kernel's files are. */
  constructor(proc: string) {
    this.#proc = proc;
  }

  /** Resolves with the busiest processes since the last call, or in half a second. Who asks at the same time shares the answer. */
  read(): Promise<Processes> {
    return (this.#flight ??= this.#read().finally(() => (this.#flight = undefined)));
  }

  async #read(): Promise<Processes> {
    let before = this.#before;
    if (before === undefined || performance.now() - before.atMs > BEFORE_MS) {
      before = await readProcesses(this.#proc);
      await delay(FIRST_MS);
    }
    const now = await readProcesses(this.#proc);
    this.#before = now;
    const earlier = new Map(before.rows.map((row) => [processKey(row), row.ticks]));
    const seconds = (now.atMs - before.atMs) / 1000;
    const used = now.rows.map((row) => ({ row, ticks: row.ticks - (earlier.get(processKey(row)) ?? 0) }));
    const busiest = used.toSorted((a, b) => b.ticks - a.ticks || b.row.pages - a.row.pages).slice(0, TOP);
    const users = await this.#userNames();
    const top = await Promise.all(
      busiest.map(({ row, ticks }) => this.#describe(row, (100 * ticks) / TICKS_PER_SECOND / seconds, users)),
    );
    return {
      total: now.rows.length,
      top: top.filter((each) => each !== undefined),
      problem: showsAll(now) ? '' : HIDDEN,
    };
  }

  async #describe(
    { pid, name }: ProcessRow,
    cpuPercent: number,
    users: ReadonlyMap<string, string>,
  ): Promise<Process | undefined> {
    const status = await readProcessFile(this.#proc, pid, 'status');
    const uid = /^Uid:\t(\d+)/m.exec(status)?.[1];
    if (uid === undefined) return undefined;
    const memory = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024; // the kernel's own threads have none
    const shares = { cpu_percent: tenths(cpuPercent), memory_percent: tenths((100 * memory) / totalmem()) };
    return { pid, name, user: users.get(uid) ?? uid, ...shares, memory };
  }

  async #userNames(): Promise<ReadonlyMap<string, string>> {
    // numbers are shown then
    const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'));
    return new Map(lines.map(([name = '', , uid = '']) => [uid, name]));
  }
}

const tenths = (value: number): number => Math.round(value * 10) / 10;
