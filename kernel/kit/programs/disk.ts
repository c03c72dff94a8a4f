import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isMissing } from '../files/files-root.ts';

/** The kernel's folder of block devices by their numbers. */
const DEVICES = '/sys/dev/block';

/**
 * Returns the disk that a folder, or the first one above it, is on, as `<major>:<minor>`: the kernel limits no partition by
 * itself. Throws for a file system that has no disk of its own, such as one on several, one in layers or in memory.
 */
export function findDisk(path: string, devices = DEVICES): string {
  const dev = existing(path);
  const device = realDevice(join(devices, `${major(dev)}:${minor(dev)}`));
  if (device === undefined) throw new Error(`the file system of ${path} has no disk of its own`);
  return readFileSync(join(existsSync(join(device, 'partition')) ? dirname(device) : device, 'dev'), 'utf8').trim();
}

function existing(path: string): bigint {
  for (let folder = path; ; folder = dirname(folder)) {
    const stats = statSync(folder, { bigint: true, throwIfNoEntry: false });
    if (stats !== undefined) return stats.dev;
  }
}

function realDevice(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** See makedev(3). */
const major = (dev: bigint) => ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn);
const minor = (dev: bigint) => (dev & 0xffn) | ((dev >> 12n) & ~0xffn);
