import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Files read at a time: each occupies a thread of Node's pool. */
const READS = 8;
/** The unit of processor times in these files, whatever the kernel's own clock. */
export const TICKS_PER_SECOND = 100;

export interface ProcessRow {
  readonly pid: number;
  readonly name: string;
  /** In ticks since the start of the host; together with the id, one process for ever. */
  readonly started: number;
  readonly ticks: number;
  readonly pages: number;
}
export interface ProcessReading {
  readonly atMs: number;
  readonly rows: readonly ProcessRow[];
}

/** Resolves with all processes that may be seen below `proc`, see proc(5). */
export async function readProcesses(proc: string): Promise<ProcessReading> {
  const pids = (await readdir(proc)).filter((name) => /^\d+$/.test(name));
  const atMs = performance.now();
  const rows = await inTurn(pids, (pid) => readRow(proc, pid));
  return { atMs, rows: rows.filter((row) => row !== undefined) };
}

/** Reads a few at a time. */
export async function inTurn<I, O>(items: readonly I[], read: (item: I) => Promise<O>): Promise<O[]> {
  const found: O[] = [];
  for (let i = 0; i < items.length; i += READS)
    found.push(...(await Promise.all(items.slice(i, i + READS).map((item) => read(item)))));
  return found;
}

/** Resolves with the text of a process's file; empty if it has ended, or is hidden from this user. */
export function readProcessFile(proc: string, pid: number | string, file: string): Promise<string> {
  return readFile(join(proc, String(pid), file), 'utf8').catch(() => ''); // see above
}

/** Returns what tells a process from all others. */
export const processKey = ({ pid, started }: ProcessRow): string => `${pid} ${started}`;

/** The first process is there wherever all are to be seen. */
export const showsAll = ({ rows }: ProcessReading): boolean => rows.some(({ pid }) => pid === 1);

async function readRow(proc: string, pid: string): Promise<ProcessRow | undefined> {
  const text = await readProcessFile(proc, pid, 'stat');
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
