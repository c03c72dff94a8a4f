import { errorMessage } from '../../kernel/errors.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import type { CpuTimes } from './readers/cpu.ts';
import type { DiskReader } from './readers/disks.ts';
import type { MemoryReader } from './readers/memory.ts';
import type { SystemConfig } from './schema.ts';

interface Readers {
  readonly cpu: () => Promise<CpuTimes>;
  readonly memory: MemoryReader;
  readonly disks: DiskReader;
}

/** Reports which figures can be read, and from which files. */
export async function doctor(
  { cpu, memory, disks }: Readers,
  { proc, sys }: SystemConfig['roots'],
): Promise<Finding[]> {
  const remedy = `mount proc at ${proc}, or set system.roots.proc`;
  const finding = (name: string, read: () => Promise<string>): Promise<Finding> =>
    read().then(
      (detail) => ({ name, ok: true, detail }),
      (error: unknown) => ({ name, ok: false, detail: `cannot be read: ${errorMessage(error)}`, remedy }),
    );
  return Promise.all([
    finding('processor', async () => `${(await cpu()).size} cores, from ${proc}/stat`),
    finding('memory', async () => {
      const gigabytes = ((await memory.read()).total / 2 ** 30).toFixed(1);
      return `${gigabytes} GB, from ${proc}/meminfo and the limits in ${sys}/fs/cgroup`;
    }),
    finding('disks', async () => {
      const found = (await disks.read()).map(({ mountpoint, fstype }) => `${mountpoint} (${fstype})`);
      return found.join(', ') || 'no file system on a device';
    }),
  ]);
}
