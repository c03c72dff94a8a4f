import { readdir, readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SystemReport } from './report.ts';

type Processes = SystemReport['processes'];
type Process = Processes['top'][number];

const TOP = 20;
/** Files read at a time: each occupies a thread of Node's pool. */
const READS = 8;
/** The unit of processor times in these files, whatever the kernel's own clock. */
const TICKS_PER_SECOND = 100;
/** Between the two readings that the first figures come from. */
const FIRST_MS = 500;
/** Figures would tell of too long a time with an older reading before. */
const BEFORE_MS = 60_000;
const HIDDEN = 'the processes of others are hidden from the service (ProtectProc=), and no broker lists them';

interface Row {
  readonly pid: number;
  readonly name: string;
  /** In ticks since the start of the host; together with the id, one process for ever. */
  readonly started: number;
  readonly ticks: number;
  readonly pages: number;
}
interface Reading {
  readonly atMs: number;
  readonly rows: readonly Row[];
}

/** The processes of the host, from the files that `ps` and `top` read, see proc(5). */
export class ProcessTable {
  readonly #proc: string;
  #before: Reading | undefined;
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
      before = await this.#take();
      await delay(FIRST_MS);
    }
    const now = await this.#take();
    this.#before = now;
    const earlier = new Map(before.rows.map((row) => [keyOf(row), row.ticks]));
    const seconds = (now.atMs - before.atMs) / 1000;
    const used = now.rows.map((row) => ({ row, ticks: row.ticks - (earlier.get(keyOf(row)) ?? 0) }));
    const busiest = used.toSorted((a, b) => b.ticks - a.ticks || b.row.pages - a.row.pages).slice(0, TOP);
    const users = await this.#userNames();
    const top = await Promise.all(
      busiest.map(({ row, ticks }) => this.#describe(row, (100 * ticks) / TICKS_PER_SECOND / seconds, users)),
    );
    return {
      total: now.rows.length,
      top: top.filter((each) => each !== undefined),
      // The first process is there wherever all are to be seen.
      problem: now.rows.some(({ pid }) => pid === 1) ? '' : HIDDEN,
    };
  }

  async #take(): Promise<Reading> {
    const pids = (await readdir(this.#proc)).filter((name) => /^\d+$/.test(name));
    const atMs = performance.now();
    const rows: (Row | undefined)[] = [];
    for (let i = 0; i < pids.length; i += READS)
      rows.push(...(await Promise.all(pids.slice(i, i + READS).map((pid) => this.#row(pid)))));
    return { atMs, rows: rows.filter((row) => row !== undefined) };
  }

  /** Resolves with `undefined` if the process has ended, or may not be seen. */
  async #row(pid: string): Promise<Row | undefined> {
    const text = await this.#text(pid, 'stat');
    const end = text.lastIndexOf(')'); // a name may hold anything
    const fields = text.slice(end + 2).split(' ');
    if (end < 0) return undefined;
    return {
      pid: Number(pid),
      name: text.slice(text.indexOf('(') + 1, end),
      ticks: Number(fields[11]) + Number(fields[12]),
      started: Number(fields[19]),
      pages: Number(fields[21]),
    };
  }

  async #describe(
    { pid, name }: Row,
    cpuPercent: number,
    users: ReadonlyMap<string, string>,
  ): Promise<Process | undefined> {
    const status = await this.#text(String(pid), 'status');
    const uid = /^Uid:\t(\d+)/m.exec(status)?.[1];
    if (uid === undefined) return undefined;
    const memory = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024; // the kernel's own threads have none
    const shares = { cpu_percent: tenths(cpuPercent), memory_percent: tenths((100 * memory) / totalmem()) };
    return { pid, name, user: users.get(uid) ?? uid, ...shares, memory };
  }

  async #userNames(): Promise<ReadonlyMap<string, string>> {
    const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'));
    return new Map(lines.map(([name = '', , uid = '']) => [uid, name]));
  }

  #text(pid: string, file: string): Promise<string> {
    return readFile(join(this.#proc, pid, file), 'utf8').catch(() => '');
  }
}

const keyOf = ({ pid, started }: Row): string => `${pid} ${started}`;
const tenths = (value: number): number => Math.round(value * 10) / 10;
