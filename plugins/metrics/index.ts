import { monitorEventLoopDelay } from 'node:perf_hooks';
import { definePlugin, type Host } from '../../kernel/contract/plugin.ts';
import { gauge } from '../../kernel/contract/points/metric.ts';
import { reply } from '../../kernel/contract/reply.ts';
import { Type } from '../../kernel/schema.ts';
import { accessCheck } from './access.ts';
import { acrossWorkers } from './across-workers.ts';
import { certificateMetrics } from './certificate.ts';
import { descriptorMetrics } from './descriptors.ts';
import { EventCounter } from './event-counter.ts';
import { exposition, EXPOSITION_TYPE, type MetricFamily } from './exposition.ts';
import { delayMetric, RESOLUTION_MS } from './histogram.ts';
import { MetricsConfig } from './schema.ts';
import { requestMetrics, serverMetrics } from './server-metrics.ts';

export default definePlugin({
  name: 'metrics',
  description: 'Figures for Prometheus.',
  features: [],
  config: MetricsConfig,
  routes: {
    page: {
      method: 'GET',
      path: '/metrics',
      address: 'admin',
      access: 'guest',
      headers: ['authorization'],
      produces: ['text/plain'],
      tokens: { area: 'metrics' },
      errors: ['authentication_required', 'scope_required'],
      summary: 'Get the metrics for Prometheus',
      description:
        'Needs the token `metrics.token` of the configuration, that of an administrator, or an API token with metrics:read.',
      reply: Type.String(),
    },
  },
  setup(host) {
    const { config, identity, events, node, log, gather, onClose } = host;
    const assertAccess = accessCheck(config.token, identity.sessions);
    const eventCounter = new EventCounter();
    onClose(events.listen((event, isOwn) => isOwn && eventCounter.count(event.type)));
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delay.enable();
    onClose(() => void delay.disable());

    const own = async (): Promise<MetricFamily[]> => {
      const gathered = await gatheredMetrics({ gather, identity });
      return [
        ...serverMetrics(node),
        ...(await descriptorMetrics()),
        ...(await certificateMetrics(node.config.tls.cert)),
        delayMetric(delay),
        ...requestMetrics(node.routes()),
        eventCounter.metric(),
        ...gathered,
      ];
    };
    const all = acrossWorkers(host, own);
    const render = async () => exposition(await all(), log);
    let rendering: Promise<string> | undefined;
    return {
      handlers: {
        /** Scrapes at the same time share one page. */
        page: async (call) => {
          await assertAccess(call.header('authorization'), call);
          rendering ??= render().finally(() => (rendering = undefined));
          return reply(await rendering, { type: EXPOSITION_TYPE });
        },
      },
    };
  },
});

/** The metrics of the plugins, and how collecting them went. */
async function gatheredMetrics({ gather, identity }: Pick<Host, 'gather' | 'identity'>): Promise<MetricFamily[]> {
  const parts = await gather('metrics');
  const successes = parts.map(({ plugin, ok }) => ({ labels: { plugin }, value: ok ? 1 : 0 }));
  const durations = parts.map(({ plugin, ms }) => ({ labels: { plugin }, value: ms / 1000 }));
  return [
    gauge('hostkeep_collect_success', 'Whether the metrics of a plugin could be collected', successes, 'min'),
    gauge('hostkeep_collect_duration_seconds', 'Time to collect the metrics of a plugin', durations, 'max'),
    gauge('hostkeep_sessions', 'Sessions that have not expired, in the whole store', await identity.sessions.count()),
    ...parts.flatMap((part) => (part.ok ? part.value : [])),
  ];
}
