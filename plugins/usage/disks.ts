/**
 * Space on disks: the mount table and `statfs`, two system calls a disk, where systeminformation's `fsSize` runs `df`
 * through a shell each time. What a device's file system answers is in the kernel's memory; a network's or a program's
 * may never answer, so it is asked by a process of its own, and only where the operator wants it.
 */
import { execFile } from 'node:child_process';
import { readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { percentOf } from './cpu.ts';
import { disksOf, parseFilesystems, parseMountinfo, type Disk, type MountKind } from './mounts.ts';
import type { Partition } from './schema.ts';

/** Bytes; `free` is what unprivileged users can still use, as in `df`. */
export interface Space {
  readonly total: number;
  readonly used: number;
  readonly free: number;
}
export type AskSpace = (path: Buffer) => Promise<Space>;

interface Asked {
  space: Space | undefined;
  /** Of the monotonic clock, when the answer came. */
  atMs: number;
  isOpen: boolean;
}

/** How long a reading waits for an answer. A later one counts for the next reading. */
const WAIT_MS = 300;
/** How many questions without an answer there may be: a local one holds a thread of the pool that all file access shares. */
const OPEN_AT_MOST: Readonly<Record<MountKind, number>> = { local: 2, remote: 16 };
/** Remote file systems are not asked more often, and an answer older than three times this is not shown. */
const REMOTE_EVERY_MS = 10_000;
const PROCESS_MS = 5000;

export class DiskReader {
  readonly #roots: { readonly proc: string; readonly files: string };
  readonly #withRemote: boolean;
  readonly #ask: Readonly<Record<MountKind, AskSpace>>;
  readonly #asked = new Map<string, Asked>();
  readonly #open = { local: 0, remote: 0 };
  #table = '';
  #disks: readonly Disk[] = [];

  constructor(
    roots: { readonly proc: string; readonly files: string },
    withRemote: boolean,
    ask: Readonly<Record<MountKind, AskSpace>> = { local: askKernel, remote: askProcess },
  ) {
    this.#roots = roots;
    this.#withRemote = withRemote;
    this.#ask = ask;
  }

  /** Resolves within a second, whatever hangs: a disk that does not answer is left out. */
  async read(): Promise<Partition[]> {
    const disks = await this.#mounted();
    const startedMs = performance.now();
    const remote = disks.flatMap((disk) => (disk.kind === 'remote' ? (this.#refresh(disk) ?? []) : []));
    for (const disk of disks) if (disk.kind === 'local') await withinWait(this.#refresh(disk));
    if (remote.length > 0) await withinWait(Promise.all(remote));
    return disks.flatMap((disk) => {
      const asked = this.#asked.get(disk.mountpoint);
      const oldestMs = disk.kind === 'local' ? startedMs : startedMs - 3 * REMOTE_EVERY_MS;
      return asked?.space === undefined || asked.atMs < oldestMs || asked.space.total === 0
        ? []
        : [partition(disk, asked.space)];
    });
  }

  /** The table is read anew each time and parsed when it changed. */
  async #mounted(): Promise<readonly Disk[]> {
    const { proc, files } = this.#roots;
    const table = await readFile(join(proc, files === '/' ? 'self' : '1', 'mountinfo'), 'latin1');
    if (table !== this.#table) {
      const withoutDevice = parseFilesystems(await readFile(join(proc, 'filesystems'), 'latin1'));
      this.#disks = disksOf(parseMountinfo(table), withoutDevice, this.#withRemote);
      this.#table = table;
      const there = new Set(this.#disks.map(({ mountpoint }) => mountpoint));
      for (const [mountpoint, { isOpen }] of this.#asked)
        if (!there.has(mountpoint) && !isOpen) this.#asked.delete(mountpoint);
    }
    return this.#disks;
  }

  /** `undefined` when there is nothing to wait for: it was asked lately, or the last question is still open. */
  #refresh({ mountpoint, path, kind }: Disk): Promise<void> | undefined {
    let asked = this.#asked.get(mountpoint);
    if (asked === undefined)
      this.#asked.set(mountpoint, (asked = { space: undefined, atMs: -Infinity, isOpen: false }));
    const isRecent = kind === 'remote' && performance.now() - asked.atMs < REMOTE_EVERY_MS;
    if (isRecent || asked.isOpen || this.#open[kind] >= OPEN_AT_MOST[kind]) return undefined;
    asked.isOpen = true;
    this.#open[kind] += 1;
    const answer = this.#ask[kind](below(this.#roots.files, path));
    return answer
      .then(
        (space) => space,
        () => undefined,
      )
      .then((space) => {
        this.#open[kind] -= 1;
        Object.assign(asked, { space, atMs: performance.now(), isOpen: false });
      });
  }
}

async function askKernel(path: Buffer): Promise<Space> {
  const { bsize, blocks, bfree, bavail } = await statfs(path);
  return { total: blocks * bsize, used: (blocks - bfree) * bsize, free: bavail * bsize };
}

/** Asks by `stat` of coreutils, which is killed when it does not answer; the server does not wait for it at its end. */
function askProcess(path: Buffer): Promise<Space> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      'stat',
      ['--file-system', '--format=%S %b %f %a', '--', path.toString()],
      { timeout: PROCESS_MS, killSignal: 'SIGKILL' },
      (error, stdout) => {
        const [size = 0, blocks = 0, free = 0, available = 0] = stdout.split(' ').map(Number);
        if (error === null) resolve({ total: blocks * size, used: (blocks - free) * size, free: available * size });
        else reject(error);
      },
    );
    child.unref();
  });
}

async function withinWait(answer: Promise<unknown> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([answer, new Promise((resolve) => (timer = setTimeout(resolve, WAIT_MS)))]);
  clearTimeout(timer);
}

function below(root: string, path: Buffer): Buffer {
  return root === '/' ? path : Buffer.concat([Buffer.from(root), path]);
}

function partition({ source, fstype, mountpoint }: Disk, { total, used, free }: Space): Partition {
  return { device: source, free, fstype, mountpoint, percent: percentOf(used, used + free), total, used };
}
