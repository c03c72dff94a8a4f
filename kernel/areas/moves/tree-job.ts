/** Looks at a folder of an account as a whole, at either end of a move. */
import { createHash } from 'node:crypto';
import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { fail, type HttpError } from '../../errors.ts';
import type { JobContext } from '../../kit/jobs/job.ts';
import { escapeControl } from '../../log.ts';
import { runProgram } from '../../kit/programs/run-program.ts';

export type TreeInput =
  | { readonly task: 'measure' }
  | { readonly task: 'digest' }
  | { readonly task: 'room' }
  /** Milliseconds since 1970. */
  | { readonly task: 'changed'; readonly since: number };

/** Bytes and files: present, or with room. */
export interface Extent {
  /** Whether there is a folder for the account. */
  readonly exists: boolean;
  readonly bytes: number;
  readonly inodes: number;
}
export interface TreeOutput {
  readonly extent?: Extent;
  readonly digest?: string;
  /** Some paths that changed. */
  readonly changed?: readonly string[];
}

const TIMEOUT_MS = 300_000;
const WORD = 64;
/** How many changes are named. */
const NAMED = 5;
/** A path, what must be the same of it, and a link's target, each with a zero byte behind. Sockets are not moved. */
const DESCRIBED = [
  ...['-type', 'd', '-printf', '%P\\0d %m\\0\\0', '-o'],
  ...['-type', 'f', '-printf', '%P\\0f %m %s %Ts\\0\\0', '-o'],
  ...['-type', 'p', '-printf', '%P\\0p %m\\0\\0', '-o'],
  ...['-type', 'l', '-printf', '%P\\0l\\0%l\\0'],
];
/** In a description. What an archive has no bits for (`WITHOUT_IDS`) does not count. */
const MODE = /(?<=^[dfp] )\d+/;
const KEPT_MODE = 0o1777;

/** Errors: 503 `files_unavailable`, with what the program says. */
export default async function tree(input: TreeInput, { root }: JobContext): Promise<TreeOutput> {
  const cwd = root.operatorPath; // of the open folder: the user of this process need not reach it by its path
  const exists = isThere(cwd);
  if (input.task === 'room') return { extent: { ...roomFor(exists ? cwd : root.path), exists } };
  if (input.task === 'measure' && !exists) return { extent: { exists, bytes: 0, inodes: 0 } };
  if (input.task === 'measure') {
    const bytes = await used(cwd, '--block-size=1');
    return { extent: { exists, bytes, inodes: await used(cwd, '--inodes') } };
  }
  if (input.task === 'digest') return { digest: await digestOf(cwd) };
  const since = ['-newerct', `@${(input.since / 1000).toFixed(3)}`];
  const lines = (await listed(cwd, [...since, '!', '-type', 's', '-printf', '%P\\0'])).slice(0, NAMED);
  return { changed: lines.map((line) => (line === '' ? '.' : line)) };
}

/** Throws where that cannot be told. */
function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Of a missing folder, the nearest one above that is there is on the file system that the files will be on. */
function roomFor(path: string): Omit<Extent, 'exists'> {
  let above = path;
  while (!isThere(above)) above = dirname(above);
  const { bavail, bsize, ffree, files } = statfsSync(above);
  // some file systems have as many inodes as they need, and say 0
  return { bytes: bavail * bsize, inodes: files === 0 ? Number.MAX_SAFE_INTEGER : ffree };
}

async function used(cwd: string, unit: string): Promise<number> {
  const { stdout, code, stderr } = await runProgram('du', ['-x', '-s', unit, '--', '.'], {
    cwd,
    timeoutMs: TIMEOUT_MS,
  });
  const total = /^(\d+)\t/.exec(stdout)?.[1];
  if (total === undefined || /denied|error/.test(stderr)) throw failed('du', code, stderr);
  return Number(total);
}

/** Adds the digests of all entries up, because the order of a walk differs from one file system to another. */
async function digestOf(cwd: string): Promise<string> {
  let [sum, count]: [bigint, number] = [0n, 0];
  let entry: string[] = [];
  await find(cwd, ['(', ...DESCRIBED, ')'], (field) => {
    entry.push(field);
    if (entry.length < 3) return;
    entry[1] = entry[1]?.replace(MODE, (mode) => (parseInt(mode, 8) & KEPT_MODE).toString(8)) ?? '';
    const word = createHash('sha256').update(JSON.stringify(entry)).digest().readBigUInt64BE();
    sum = BigInt.asUintN(WORD, sum + word);
    count += 1;
    entry = [];
  });
  return `${count}-${sum.toString(16)}`;
}

async function listed(cwd: string, expression: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  await find(cwd, expression, (line) => lines.length < NAMED && lines.push(escapeControl(line)));
  return lines;
}

/** Calls `each` with what `find` prints up to each zero byte. */
async function find(cwd: string, expression: readonly string[], each: (field: string) => unknown): Promise<void> {
  let rest = '';
  const { code, endedBy, stderr } = await runProgram('find', ['.', '-xdev', ...expression], {
    cwd,
    timeoutMs: TIMEOUT_MS,
    stdoutBytes: Number.MAX_SAFE_INTEGER,
    onOutput: (text) => {
      const fields = `${rest}${text}`.split('\0');
      rest = fields.pop() ?? '';
      for (const field of fields) each(field);
    },
  });
  if (code !== 0) throw failed('find', endedBy ?? code, stderr);
}

const failed = (program: string, how: string | number | null, stderr: string): HttpError =>
  fail.files_unavailable(escapeControl(`${program} ended with ${how}: ${stderr.trim()}`));
