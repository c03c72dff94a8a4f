import { monitorEventLoopDelay } from 'node:perf_hooks';
import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import { reply } from '../../kernel/plugin-api/reply.ts';
import { Type } from '../../kernel/schema.ts';
import { EventCounter } from './event-counter.ts';
import { guard } from './access.ts';
import { page, PAGE_TYPE, type MetricFamily } from './exposition.ts';
import { MetricsConfig } from './schema.ts';
import { requestMetrics, RESOLUTION_MS, serverMetrics } from './server-metrics.ts';

export default definePlugin({
  name: 'metrics',
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
      errors: ['authentication_required'],
      summary: 'Figures for Prometheus',
      description: 'For admin tokens and for the token `metrics.token` of the configuration.',
      reply: Type.String(),
    },
  },
  setup({ config, identity, events, node, log, gather, onClose }) {
    const admit = guard(config.token, identity.sessions);
    const counter = new EventCounter();
    onClose(events.listen((event) => counter.count(event.type)));
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delay.enable();
    onClose(() => void delay.disable());

    const make = async (): Promise<string> => {
      const parts = await gather('metrics');
      const collected: MetricFamily[] = [
        {
          name: 'hostkeep_collect_success',
          help: 'Whether a plugin told its figures',
          type: 'gauge',
          samples: parts.map(({ plugin, ok }) => ({ labels: { plugin }, value: ok ? 1 : 0 })),
        },
        {
          name: 'hostkeep_collect_duration_seconds',
          help: 'Time until a plugin told its figures',
          type: 'gauge',
          samples: parts.map(({ plugin, ms }) => ({ labels: { plugin }, value: ms / 1000 })),
        },
        {
          name: 'hostkeep_sessions',
          help: 'Sessions that have not expired',
          type: 'gauge',
          samples: [{ value: await identity.sessions.count() }],
        },
      ];
      return page(
        [
          ...serverMetrics(node, delay),
          ...requestMetrics(node.routes()),
          counter.figure(),
          ...collected,
          ...parts.flatMap((part) => (part.ok ? part.value : [])),
        ],
        log,
      );
    };
    let making: Promise<string> | undefined;
    return {
      handlers: {
        /** Those who ask at the same time get the same page. */
        page: async (call) => {
          await admit(call.header('authorization'));
          making ??= make().finally(() => (making = undefined));
          return reply(await making, { type: PAGE_TYPE });
        },
      },
    };
  },
});
