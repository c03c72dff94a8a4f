import type { IntervalHistogram } from 'node:perf_hooks';
import type { NodeInfo, RouteInfo } from '../../kernel/plugin-api/node-info.ts';
import { LATENCY_BUCKETS } from '../../kernel/plugin-api/route-metrics.ts';
import type { MetricFamily } from './exposition.ts';

/** Requests by route, method and status, and how long they took. Routes that nobody asked are left out. */
export function requestMetrics(routes: readonly RouteInfo[]): MetricFamily[] {
  const asked = routes.filter((route) => route.traffic.statuses.size > 0);
  const labelsOf = ({ address, method, paths }: RouteInfo) => ({ address, method, route: paths[0] ?? '' });
  return [
    {
      name: 'hostkeep_http_requests_total',
      help: 'Requests that were answered',
      type: 'counter',
      samples: asked.flatMap((route) =>
        [...route.traffic.statuses].map(([status, value]) => ({ labels: { ...labelsOf(route), status }, value })),
      ),
    },
    {
      name: 'hostkeep_http_request_duration_seconds',
      help: 'Time until a request was answered',
      type: 'histogram',
      samples: asked.flatMap((route) =>
        histogram('hostkeep_http_request_duration_seconds', labelsOf(route), route.traffic),
      ),
    },
  ];
}

function histogram(
  name: string,
  labels: Record<string, string>,
  { latency, secondsTotal }: RouteInfo['traffic'],
): MetricFamily['samples'] {
  let count = 0;
  const buckets = latency.map((inBucket, i) => {
    count += inBucket;
    return {
      metricName: `${name}_bucket`,
      labels: { ...labels, le: LATENCY_BUCKETS[i] === undefined ? '+Inf' : String(LATENCY_BUCKETS[i]) },
      value: count,
    };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: secondsTotal },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

/** How finely the delay of the event loop is measured; what is measured contains it. */
export const RESOLUTION_MS = 20;

function late(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
}

/** Plugins, the process, and how late the event loop was since this was asked last. */
export function serverMetrics(node: NodeInfo, delay: IntervalHistogram): MetricFamily[] {
  const gauge = (name: string, help: string, ...samples: MetricFamily['samples'][number][]): MetricFamily => ({
    name,
    help,
    type: 'gauge',
    samples,
  });
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const figures = [
    gauge('hostkeep_build_info', 'Versions', { labels: { version: node.version, node: process.version }, value: 1 }),
    gauge(
      'hostkeep_plugin_up',
      'Whether a plugin that is not switched off does its work',
      ...node
        .plugins()
        .filter(({ state }) => state !== 'off')
        .map(({ name, state }) => ({ labels: { plugin: name }, value: state === 'ready' ? 1 : 0 })),
    ),
    gauge('hostkeep_event_loop_delay_p50_seconds', 'How late the event loop was, in the median since the last scrape', {
      value: late(delay.percentile(50)),
    }),
    gauge(
      'hostkeep_event_loop_delay_p99_seconds',
      'How late the event loop was, 99th percentile since the last scrape',
      { value: late(delay.percentile(99)) },
    ),
    gauge('hostkeep_event_loop_delay_max_seconds', 'How late the event loop was at worst since the last scrape', {
      value: late(delay.max),
    }),
    {
      name: 'process_cpu_seconds_total',
      help: 'Processor time of the server',
      type: 'counter' as const,
      samples: [{ value: (user + system) / 1e6 }],
    },
    gauge('process_resident_memory_bytes', 'Memory of the server', { value: rss }),
    gauge('process_start_time_seconds', 'When the server was started, since 1970', {
      value: Math.round((performance.timeOrigin / 1000) * 1000) / 1000,
    }),
    gauge('nodejs_heap_used_bytes', 'JavaScript memory in use', { value: heapUsed }),
  ];
  delay.reset();
  return figures;
}
