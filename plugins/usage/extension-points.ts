import type { Partition } from '../../kernel/areas/machine.ts';
import { counter, gauge, type Metric } from '../../kernel/contract/points/metric.ts';
import type { Counts } from './history/counts.ts';
import type { Broadcast } from './sampling/broadcast.ts';
import type { Sampler } from './sampling/sampler.ts';

/** Does not resume the sampler: while it is paused, the load is that since the last sample. */
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
      'hostkeep_cpu_load_ratio',
      'Load of a core since the last sample, 0 to 1',
      cores.map(([core, percent]) => ({ labels: { core: core.slice('core_'.length) }, value: percent / 100 })),
    ),
    ...(memory === undefined
      ? []
      : [
          gauge('hostkeep_memory_size_bytes', 'Memory of the machine, or the limit of its container', memory.total),
          gauge('hostkeep_memory_available_bytes', 'Memory that programs can still allocate', memory.available),
        ]),
    gauge(
      'hostkeep_filesystem_size_bytes',
      'Size of a file system',
      byDisk((disk) => disk.total),
    ),
    gauge(
      'hostkeep_filesystem_used_bytes',
      'Space in use on a file system',
      byDisk((disk) => disk.used),
    ),
    gauge(
      'hostkeep_filesystem_free_bytes',
      'Space available to unprivileged users',
      byDisk((disk) => disk.free),
    ),
    gauge('hostkeep_users', 'User accounts of this node', users),
    gauge('hostkeep_domains', 'Domains of the accounts of this node', domains),
    gauge('hostkeep_websites', 'Websites of the accounts of this node', websites),
    gauge(
      'hostkeep_usage_sample_age_seconds',
      'Age of the newest sample at the time of the scrape',
      ageMs === undefined ? [] : ageMs / 1000,
      'min',
    ),
    counter('hostkeep_usage_samples_total', 'Samples taken since the plugin started', sampler.taken),
    gauge('hostkeep_usage_streams', 'Open streams of samples', broadcast.size, 'sum'),
  ];
}
