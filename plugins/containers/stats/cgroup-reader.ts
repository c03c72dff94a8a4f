import { constants, readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { basename, join } from 'node:path';
import { isReachable } from '../../../kernel/kit/files/if-missing.ts';
import { isMissing } from '../../../kernel/kit/files/files-root.ts';
import { readValue, withoutCache } from '../../../kernel/kit/engine/container-groups.ts';
import { FairQueue } from '../../../kernel/kit/waiting/fair-queue.ts';
import type { Container } from '../engine/container.ts';
import { parseCgroupPaths, parseIo, parseNetwork } from './cgroup-files.ts';
import { firstProcess } from './first-process.ts';
import type { ContainerSample } from './sample.ts';

/** Each read occupies a thread of Node's pool, which other work needs too. */
const READS_AT_ONCE = 8;
/** Of them, those for one account. */
const PER_CLIENT = 6;

/** Files with figures, below the name of their controller, and how they are read. */
const FIGURES = {
  1: {
    cpu: 'cpuacct/cpuacct.usage',
    cpuNs: Number,
    usage: 'memory/memory.usage_in_bytes',
    limit: 'memory/memory.limit_in_bytes',
    inactiveFile: 'total_inactive_file',
    // the I/O schedulers' figures before the throttle's, as containerd does
    io: ['blkio/blkio.io_service_bytes_recursive', 'blkio/blkio.throttle.io_service_bytes'],
  },
  2: {
    cpu: 'cpu/cpu.stat',
    cpuNs: (text: string) => readValue(text, 'usage_usec') * 1000,
    usage: 'memory/memory.current',
    limit: 'memory/memory.max',
    inactiveFile: 'inactive_file',
    io: ['io/io.stat'],
  },
} as const;

/**
 * Samples containers from the Linux kernel's files: control groups of version 1 and 2, and network counters. Costs the
 * engine nothing.
 */
export class CgroupReader {
  readonly #root: string;
  readonly #hostMemoryBytes: number;
  readonly #queue = new FairQueue({ slots: READS_AT_ONCE, perClient: PER_CLIENT });

  /** Tests set `root`, the folder that holds `proc` and `sys`. */
  constructor(root = '/', hostMemoryBytes = totalmem()) {
    this.#root = root;
    this.#hostMemoryBytes = hostMemoryBytes;
  }

  /** The version of control groups that is readable here. */
  async version(): Promise<1 | 2 | undefined> {
    const isReadable = (path: string) => isReachable(join(this.#root, 'sys/fs/cgroup', path), constants.R_OK);
    if (await isReadable('cgroup.controllers')) return 2;
    return (await isReadable('memory/memory.usage_in_bytes')) ? 1 : undefined;
  }

  /** `client` is the account. Returns `gone` when the process no longer belongs to the container; rejects when a file cannot be read. */
  read(container: Container, pid: number, client: number): Promise<ContainerSample | 'gone'> {
    return this.#queue.run(client, () => this.#read(container, pid));
  }

  /** Finds a container's first process without the engine; `undefined` when the files do not show it. */
  firstProcess({ id }: Container, client: number): Promise<number | undefined> {
    return this.#queue.run(client, () => firstProcess(id, (path) => this.#text(path)));
  }

  async #read(container: Container, pid: number): Promise<ContainerSample | 'gone'> {
    const groups = await this.#text(`proc/${pid}/cgroup`).catch((error: unknown) => {
      if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'ESRCH') return ''; // it has ended
      throw error;
    });
    const cgroup = parseCgroupPaths(groups, container.id);
    if (cgroup === undefined) return 'gone';
    const file = async (figure: string) => {
      const [controller = '', name = ''] = cgroup.version === 2 ? ['', basename(figure)] : figure.split('/');
      const path = cgroup.paths.get(controller);
      if (path === undefined)
        throw Object.assign(new Error(`the container is in no group of ${controller}`), { code: 'ENOENT' });
      return this.#text(join('sys/fs/cgroup', controller, path, name));
    };
    const hasNetwork = container.networkMode !== 'host'; // a host network's counters are the whole host's
    const [group, network] = await Promise.all([
      this.#readGroup(file, FIGURES[cgroup.version]),
      hasNetwork ? this.#text(`proc/${pid}/net/dev`).then(parseNetwork) : { receivedBytes: 0, sentBytes: 0 },
    ]);
    return { source: 'cgroup', ...group, ...network };
  }

  async #readGroup(file: (figure: string) => Promise<string>, figures: (typeof FIGURES)[1 | 2]) {
    const [used, usage, stat, limit, pids, io] = await Promise.all([
      file(figures.cpu).then((text) => ({ cpuNs: figures.cpuNs(text), clockNs: performance.now() * 1e6 })),
      file(figures.usage),
      file('memory/memory.stat'),
      file(figures.limit),
      file('pids/pids.current'),
      Promise.all(figures.io.map((name) => file(name).catch(emptyIfMissing))),
    ]);
    const ios = io.map(parseIo);
    const limitBytes = Number(limit); // NaN for "max"
    return {
      ...used,
      memoryBytes: withoutCache(Number(usage), readValue(stat, figures.inactiveFile)),
      // without a limit, or with one beyond it, the limit is the host's memory
      limitBytes: limitBytes > 0 && limitBytes < this.#hostMemoryBytes ? limitBytes : this.#hostMemoryBytes,
      pids: Number(pids),
      ...(ios.find(({ readBytes, writtenBytes }) => readBytes + writtenBytes > 0) ?? parseIo('')),
    };
  }

  #text(path: string): Promise<string> {
    return readFile(join(this.#root, path), 'utf8');
  }
}

/** The I/O controller may be disabled, and its files missing. */
function emptyIfMissing(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}
