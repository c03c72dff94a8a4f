import type { NodeInfo, PluginStatus, RouteInfo } from '../../kernel/contract/node-info.ts';
import { counter, gauge, type Metric } from '../../kernel/contract/points/metric.ts';
import { LATENCY_BUCKETS } from '../../kernel/contract/node-info.ts';
import type { MetricFamily } from './exposition.ts';
import { histogramSamples } from './histogram.ts';

const DURATION = 'hostkeep_http_request_duration_seconds';

/** Requests by address, route, method and status, and their duration. Routes without requests are left out. */
export function requestMetrics(routes: readonly RouteInfo[]): MetricFamily[] {
  const used = routes.filter((route) => route.traffic.statuses.size > 0);
  const labelsOf = ({ address, method, paths }: RouteInfo) => ({ address, method, route: paths[0] ?? '' });
  const requests = used.flatMap((route) =>
    [...route.traffic.statuses].map(([status, value]) => ({
      labels: { ...labelsOf(route), status: String(status) },
      value,
    })),
  );
  return [
    counter('hostkeep_http_requests_total', 'Requests answered', requests),
    {
      name: DURATION,
      help: 'Time to answer a request',
      type: 'histogram',
      samples: used.flatMap((route) => durations(route, labelsOf(route))),
    },
  ];
}

function durations(route: RouteInfo, labels: Record<string, string>): MetricFamily['samples'] {
  const { latency, secondsTotal } = route.traffic;
  let count = 0;
  const counts = latency.map((inBucket) => (count += inBucket));
  return histogramSamples(DURATION, labels, LATENCY_BUCKETS, counts, secondsTotal);
}

const STATES = ['ready', 'degraded', 'unavailable', 'off'] as const satisfies readonly PluginStatus['state'][];

/** Versions, plugins and the process. */
export function serverMetrics(node: NodeInfo): Metric[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const startSeconds = Math.round((performance.timeOrigin / 1000) * 1000) / 1000;
  const versions = { version: node.version, node: process.version };
  const plugins = node.plugins();
  const up = plugins
    .filter(({ state }) => state !== 'off')
    .map(({ name, state }) => ({ labels: { plugin: name }, value: Number(state === 'ready') }));
  const states = plugins.flatMap(({ name, state }) =>
    STATES.map((each) => ({ labels: { plugin: name, state: each }, value: Number(state === each) })),
  );
  return [
    gauge('hostkeep_build_info', 'Versions of Hostkeep and Node.js, as labels; always 1', [
      { labels: versions, value: 1 },
    ]),
    gauge('hostkeep_plugin_up', 'Whether a plugin that is switched on is ready, and not degraded', up, 'min'),
    gauge('hostkeep_plugin_state', 'The state of a plugin: 1 for the state that it is in', states, 'max'),
    counter('process_cpu_seconds_total', 'Processor time of the server', (user + system) / 1e6),
    gauge('process_resident_memory_bytes', 'Resident memory of the server', rss, 'sum'),
    gauge('process_start_time_seconds', 'Start time of the server, in seconds since 1970', startSeconds, 'max'),
    gauge('nodejs_heap_used_bytes', 'JavaScript heap in use', heapUsed, 'sum'),
  ];
}
