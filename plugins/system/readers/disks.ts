/**
 * Space on disks from the mount table and `statfs`; systeminformation's `fsSize` runs `df` in a shell each time.
 * `statfs` on a local file system reads the kernel's memory. On a network file system or FUSE it may block for ever, so
 * that it runs in a process of its own, and only where the operator enables it.
 */
import { readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { withDeadline } from '../../../kernel/kit/waiting/deadline.ts';
import { runProgram } from '../../../kernel/kit/programs/run-program.ts';
import { toPercent } from '../../../kernel/kit/format.ts';
import { selectDisks, parseFilesystems, parseMountinfo, type Disk, type MountKind } from './mounts.ts';
import type { Partition, SystemReport } from '../../../kernel/areas/machine.ts';

/** Bytes; `free` is what unprivileged users can still use, as in `df`. */
export interface Space {
  readonly total: number;
  readonly used: number;
  readonly free: number;
}
type FileSystem = SystemReport['file_systems'][number];
export type ReadSpace = (path: Buffer) => Promise<Space>;

/** The last result for a mount point. */
interface Reading {
  space: Space | undefined;
  /** When the result came, on the monotonic clock. */
  atMs: number;
  isPending: boolean;
}

/** How long `read` waits for a result; a later one is used by the next `read`. */
const WAIT_MS = 300;
/** How many calls may be pending: a local one occupies a thread of the pool that all file access shares. */
const MAX_PENDING: Readonly<Record<MountKind, number>> = { local: 2, remote: 16 };
/** How often a remote file system is read; a result older than three times this is left out. */
const REMOTE_INTERVAL_MS = 10_000;
const STAT_TIMEOUT_MS = 5000;

export class DiskReader {
  readonly #roots: { readonly proc: string; readonly files: string };
  readonly #withRemote: boolean;
  readonly #readSpace: Readonly<Record<MountKind, ReadSpace>>;
  readonly #readings = new Map<string, Reading>();
  readonly #pending = { local: 0, remote: 0 };
  #table = '';
  #disks: readonly Disk[] = [];
  #flight: Promise<readonly [Disk, Space][]> | undefined;

  constructor(
    roots: { readonly proc: string; readonly files: string },
    withRemote: boolean,
    readSpace: Readonly<Record<MountKind, ReadSpace>> = { local: statfsSpace, remote: statSpace },
  ) {
    this.#roots = roots;
    this.#withRemote = withRemote;
    this.#readSpace = readSpace;
  }

  /** Resolves within a second: a disk that does not answer in time is left out. Who asks at the same time shares the answer. */
  async read(): Promise<Partition[]> {
    return (await this.#shared()).map(([disk, space]) => partition(disk, space));
  }

  /** The same, as the report on the system has them. */
  async fileSystems(): Promise<FileSystem[]> {
    return (await this.#shared()).map(([{ source, fstype, mountpoint, isReadOnly }, { total, used }]) => ({
      ...{ device: source, type: fstype, mountpoint, size: total, used, read_only: isReadOnly },
    }));
  }

  #shared(): Promise<readonly [Disk, Space][]> {
    return (this.#flight ??= this.#read().finally(() => (this.#flight = undefined)));
  }

  async #read(): Promise<[Disk, Space][]> {
    const disks = await this.#mounted();
    const startedMs = performance.now();
    const remote = disks.flatMap((disk) => (disk.kind === 'remote' ? (this.#refresh(disk) ?? []) : []));
    for (const disk of disks) if (disk.kind === 'local') await withinWait(this.#refresh(disk));
    if (remote.length > 0) await withinWait(Promise.all(remote));
    return disks.flatMap((disk) => {
      const reading = this.#readings.get(disk.mountpoint);
      const oldestMs = disk.kind === 'local' ? startedMs : startedMs - 3 * REMOTE_INTERVAL_MS;
      return reading?.space === undefined || reading.atMs < oldestMs || reading.space.total === 0
        ? []
        : [[disk, reading.space]];
    });
  }

  /** Reads the mount table, and parses it if it has changed. */
  async #mounted(): Promise<readonly Disk[]> {
    const { proc, files } = this.#roots;
    const table = await readFile(join(proc, files === '/' ? 'self' : '1', 'mountinfo'), 'latin1');
    if (table !== this.#table) {
      const withoutDevice = parseFilesystems(await readFile(join(proc, 'filesystems'), 'latin1'));
      this.#disks = selectDisks(parseMountinfo(table), withoutDevice, this.#withRemote);
      this.#table = table;
      const mounted = new Set(this.#disks.map(({ mountpoint }) => mountpoint));
      for (const [mountpoint, { isPending }] of this.#readings)
        if (!mounted.has(mountpoint) && !isPending) this.#readings.delete(mountpoint);
    }
    return this.#disks;
  }

  /** Reads the space of a disk again; `undefined` where its last result is recent or still pending. */
  #refresh({ mountpoint, path, kind }: Disk): Promise<void> | undefined {
    let reading = this.#readings.get(mountpoint);
    if (reading === undefined)
      this.#readings.set(mountpoint, (reading = { space: undefined, atMs: -Infinity, isPending: false }));
    const isRecent = kind === 'remote' && performance.now() - reading.atMs < REMOTE_INTERVAL_MS;
    if (isRecent || reading.isPending || this.#pending[kind] >= MAX_PENDING[kind]) return undefined;
    reading.isPending = true;
    this.#pending[kind] += 1;
    const result = this.#readSpace[kind](below(this.#roots.files, path));
    return (
      result
        // shown as not known
        .catch(() => undefined)
        .then((space) => {
          this.#pending[kind] -= 1;
          Object.assign(reading, { space, atMs: performance.now(), isPending: false });
        })
    );
  }
}

async function statfsSpace(path: Buffer): Promise<Space> {
  const { bsize, blocks, bfree, bavail } = await statfs(path);
  return { total: blocks * bsize, used: (blocks - bfree) * bsize, free: bavail * bsize };
}

/** Runs `stat` of the GNU coreutils, and kills it at the time limit. */
async function statSpace(path: Buffer): Promise<Space> {
  const args = ['--file-system', '--format=%S %b %f %a', '--', path.toString()];
  const { code, stdout, stderr } = await runProgram('stat', args, { timeoutMs: STAT_TIMEOUT_MS });
  if (code !== 0) throw new Error(stderr.trim() || `no answer within ${STAT_TIMEOUT_MS} ms`);
  const [size = 0, blocks = 0, free = 0, available = 0] = stdout.split(' ').map(Number);
  return { total: blocks * size, used: (blocks - free) * size, free: available * size };
}

async function withinWait(result: Promise<unknown> | undefined): Promise<void> {
  // it goes on, and the space is not known yet
  if (result !== undefined) await withDeadline(result, WAIT_MS).catch(() => undefined);
}

function below(root: string, path: Buffer): Buffer {
  return root === '/' ? path : Buffer.concat([Buffer.from(root), path]);
}

function partition({ source, fstype, mountpoint }: Disk, { total, used, free }: Space): Partition {
  return { device: source, free, fstype, mountpoint, percent: toPercent(used, used + free), total, used };
}
