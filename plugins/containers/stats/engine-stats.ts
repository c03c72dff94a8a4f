import { count, list, members, text } from '../../../kernel/kit/engine/untrusted-json.ts';
import { withoutCache } from '../../../kernel/kit/engine/container-groups.ts';
import type { ContainerSample } from './sample.ts';

/**
 * Parses the engine's own statistics (`/containers/<id>/stats`). Returns `undefined` for a container that does not run:
 * the engine then sends empty statistics, or an empty body when the container ends during the request.
 */
export function parseStats(value: unknown): ContainerSample | undefined {
  const stats = members(value);
  const memory = members(stats['memory_stats']);
  const pids = count(members(stats['pids_stats'])['current']);
  if (pids === 0 && memory['usage'] === undefined) return undefined;
  const details = members(memory['stats']);
  const networks = Object.values(members(stats['networks'])).map(members);
  return {
    source: 'engine',
    cpuNs: count(members(members(stats['cpu_stats'])['cpu_usage'])['total_usage']),
    clockNs: count(Date.parse(text(stats['read']))) * 1e6, // not `system_cpu_usage`: Podman's excludes idle time
    memoryBytes: withoutCache(
      count(memory['usage']),
      count(details['total_inactive_file'] ?? details['inactive_file']),
    ),
    limitBytes: count(memory['limit']),
    receivedBytes: networks.reduce((sum, each) => sum + count(each['rx_bytes']), 0),
    sentBytes: networks.reduce((sum, each) => sum + count(each['tx_bytes']), 0),
    ...parseDisks(members(stats['blkio_stats'])),
    pids,
  };
}

/** Sums by the first letter of the operation, as the docker CLI does. */
function parseDisks(blkio: Readonly<Record<string, unknown>>): { readBytes: number; writtenBytes: number } {
  const entries = list(blkio['io_service_bytes_recursive']).map(members);
  const sum = (letter: string) =>
    entries
      .filter(({ op }) => text(op).toLowerCase().startsWith(letter))
      .reduce((total, { value }) => total + count(value), 0);
  return { readBytes: sum('r'), writtenBytes: sum('w') };
}
