import { availableParallelism } from 'node:os';
import { count, list, members, text } from './foreign.ts';
import { withoutCache, type Reading } from './reading.ts';

/**
 * A reading from the engine's own statistics (`/containers/<id>/stats`). `undefined` for those of a container that does
 * not run: an engine answers with nothing in them, or with nothing at all when it ends meanwhile.
 */
export function parseStats(value: unknown): Reading | undefined {
  const stats = members(value);
  const memory = members(stats['memory_stats']);
  const pids = count(members(stats['pids_stats'])['current']);
  if (pids === 0 && memory['usage'] === undefined) return undefined;
  const details = members(memory['stats']);
  const networks = Object.values(members(stats['networks'])).map(members);
  return {
    source: 'engine',
    ...processorTime(members(stats['cpu_stats']), text(stats['read'])),
    memoryBytes: withoutCache(count(memory['usage']), count(details['total_inactive_file'] ?? details['inactive_file'])),
    limitBytes: count(memory['limit']),
    receivedBytes: networks.reduce((sum, each) => sum + count(each['rx_bytes']), 0),
    sentBytes: networks.reduce((sum, each) => sum + count(each['tx_bytes']), 0),
    ...disks(members(stats['blkio_stats'])),
    pids,
  };
}

/** The engine's time of all processors by their number is a clock; Podman names no number, and its own time of reading is the clock then. */
function processorTime(cpu: Readonly<Record<string, unknown>>, readAt: string): { cpuNs: number; clockNs: number } {
  const usage = members(cpu['cpu_usage']);
  const processors = count(cpu['online_cpus']) || list(usage['percpu_usage']).length;
  const systemNs = count(cpu['system_cpu_usage']);
  const isClock = processors > 0 && processors <= 64 * availableParallelism() && systemNs > 0;
  return { cpuNs: count(usage['total_usage']), clockNs: isClock ? systemNs / processors : count(Date.parse(readAt)) * 1e6 };
}

/** As the docker CLI adds them: by the first letter of the operation. */
function disks(blkio: Readonly<Record<string, unknown>>): { readBytes: number; writtenBytes: number } {
  let [readBytes, writtenBytes] = [0, 0];
  for (const entry of list(blkio['io_service_bytes_recursive']).map(members)) {
    const operation = text(entry['op']).toLowerCase();
    if (operation.startsWith('r')) readBytes += count(entry['value']);
    if (operation.startsWith('w')) writtenBytes += count(entry['value']);
  }
  return { readBytes, writtenBytes };
}
