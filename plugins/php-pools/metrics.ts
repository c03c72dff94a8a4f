import { counter, gauge, type Metric } from '../../kernel/contract/points/metric.ts';
import type { PhpPoolDirectory } from '../../kernel/areas/php-pools.ts';
import { STATES } from './schema.ts';

/** Returns what operators watch. Of the processes of a node, which all know the same, one `counts`: the sum would be too large. */
export function poolMetrics(
  { pools, served }: Awaited<ReturnType<PhpPoolDirectory['read']>>,
  counts: boolean,
): readonly Metric[] {
  const sum = (figure: 'memoryBytes' | 'processes') => pools.reduce((all, each) => all + each[figure], 0);
  const inState = (state: string) => ({
    labels: { state },
    value: pools.filter((each) => each.state === state).length,
  });
  return [
    gauge('hostkeep_php_pools', 'Pools of PHP of all accounts, by state', STATES.map(inState)),
    gauge('hostkeep_php_processes', 'Processes of these pools', sum('processes')),
    gauge('hostkeep_php_memory_bytes', 'Memory of these pools', sum('memoryBytes')),
    ...(counts
      ? [counter('hostkeep_php_requests_total', 'Requests that these pools were seen to answer', served)]
      : []),
  ];
}
