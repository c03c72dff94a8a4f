import { toPercent } from '../../../kernel/kit/format.ts';
import type { MemorySpace } from '../../../kernel/areas/machine.ts';
import type { Memory } from '../schema.ts';

export function memoryReply({ total, available }: MemorySpace): Memory {
  const used = total - available;
  const percent = toPercent(used, total);
  return {
    human_readable_info: {
      available: gigabytes(available),
      percent: `${percent.toFixed(1)}%`,
      total: gigabytes(total),
      used: gigabytes(used),
    },
    ram_info: { available, percent, total, used },
  };
}

/** `1.23 GB`; a GB is 2^30 bytes. */
function gigabytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(2)} GB`;
}
