import type { Finding } from '../../kernel/plugin-api/points/finding.ts';
import type { Metric } from '../../kernel/plugin-api/points/metric.ts';
import type { Broadcast } from './sampling/broadcast.ts';
import type { Counts } from './history/counts.ts';
import type { Sampler } from './sampling/sampler.ts';
import type { Partition, UsageConfig } from './schema.ts';

function gauge(name: string, help: string, ...samples: Metric['samples'][number][]): Metric {
  return { name: `hostkeep_${name}`, help, type: 'gauge', samples };
}

/** The figures of now. A scrape does not wake the sampler: where it rests, the load is that of the time since it last looked. */
export async function metrics(sampler: Sampler, counts: Counts, broadcast: Broadcast): Promise<Metric[]> {
  const { ageMs } = sampler;
  const sample = await sampler.record();
  const { users, domains, websites } = await counts.read();
  const cores = Object.entries(sample.cpu.value?.cores ?? {});
  const memory = sample.memory.value;
  const disks = sample.disks.value ?? [];
  const byDisk = (value: (disk: Partition) => number) =>
    disks.map((disk) => ({
      labels: { device: disk.device, fstype: disk.fstype, mountpoint: disk.mountpoint },
      value: value(disk),
    }));
  return [
    gauge(
      'cpu_load_ratio',
      'Load of a core since the last sample, 0 to 1',
      ...cores.map(([core, percent]) => ({ labels: { core: core.slice('core_'.length) }, value: percent / 100 })),
    ),
    ...(memory === undefined
      ? []
      : [
          gauge('memory_size_bytes', 'Memory of the machine or of its container', { value: memory.total }),
          gauge('memory_available_bytes', 'Memory that programs can still get', { value: memory.available }),
        ]),
    gauge('filesystem_size_bytes', 'Size of a file system', ...byDisk((disk) => disk.total)),
    gauge('filesystem_used_bytes', 'Space in use', ...byDisk((disk) => disk.used)),
    gauge('filesystem_free_bytes', 'Space that unprivileged users can still use', ...byDisk((disk) => disk.free)),
    gauge('users', 'Accounts of users', { value: users }),
    gauge('domains', 'Domains of all accounts', { value: domains }),
    gauge('websites', 'Websites of all accounts', { value: websites }),
    gauge(
      'usage_sample_age_seconds',
      'Age of the newest sample when this page was asked for',
      ...(ageMs === undefined ? [] : [{ value: ageMs / 1000 }]),
    ),
    {
      name: 'hostkeep_usage_samples_total',
      help: 'Samples taken since the start',
      type: 'counter',
      samples: [{ value: sampler.taken }],
    },
    gauge('usage_streams', 'Open streams of samples', { value: broadcast.size }),
  ];
}

/** What the host tells, and where from. */
export async function doctor(sampler: Sampler, { proc, sys }: UsageConfig['roots']): Promise<Finding[]> {
  const { cpu, memory, disks } = await sampler.read();
  const finding = (name: string, detail: string | undefined, remedy: string): Finding =>
    detail === undefined
      ? { name, ok: false, detail: 'the host does not tell it', remedy }
      : { name, ok: true, detail };
  return [
    finding(
      'processor',
      cpu.value && `${Object.keys(cpu.value.cores).length} cores, from ${proc}/stat`,
      `mount proc at ${proc}, or set usage.roots.proc`,
    ),
    finding(
      'memory',
      memory.value &&
        `${(memory.value.total / 2 ** 30).toFixed(1)} GB, from ${proc}/meminfo and the limits in ${sys}/fs/cgroup`,
      `mount proc at ${proc}, or set usage.roots.proc`,
    ),
    finding(
      'disks',
      disks.value &&
        `${disks.value.map(({ mountpoint, fstype }) => `${mountpoint} (${fstype})`).join(', ') || 'none on a device'}`,
      `mount proc at ${proc}, or set usage.roots.proc`,
    ),
  ];
}
