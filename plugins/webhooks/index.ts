import { definePlugin, type Host } from '../../kernel/plugin-api/plugin.ts';
import type { Finding } from '../../kernel/plugin-api/points/finding.ts';
import { counter, gauge, type Metric } from '../../kernel/plugin-api/points/metric.ts';
import { assertEndpoints } from './endpoint-urls.ts';
import type { Endpoint } from './endpoint.ts';
import { WebhooksConfig } from './schema.ts';
import { DeliveryQueue } from './store.ts';

export default definePlugin({
  name: 'webhooks',
  features: [],
  config: WebhooksConfig,
  routes: {},
  async setup(host) {
    const { config, store } = host;
    const queue = new DeliveryQueue(store);
    assertEndpoints(config);
    if (config.endpoints.length === 0 && host.node.isServing) await queue.keepOnly([]);
    const endpoints = config.endpoints.length === 0 ? [] : await deliverTo(host, queue);
    const waiting = () =>
      Promise.all(endpoints.map(async ({ key, label }) => ({ label, count: await queue.waiting(key) })));
    return {
      handlers: {},
      provides: {
        metrics: async () => metricsOf(endpoints, await waiting()),
        doctor: async () => findingsOf(await waiting(), config.backlog / 2),
      },
    };
  },
});

/** Delivers events to the configured endpoints. Its code is loaded only where there are any, to save start-up time. */
async function deliverTo(host: Host<WebhooksConfig>, queue: DeliveryQueue): Promise<Endpoint[]> {
  const { config, events, node, log, onClose } = host;
  const [{ Endpoint }, { EventFollower }] = await Promise.all([import('./endpoint.ts'), import('./event-follower.ts')]);
  const userAgent = `Hostkeep/${node.version}`;
  const endpoints = config.endpoints.map(
    (endpoint, i) => new Endpoint(i, { config: endpoint, settings: config, queue, log, userAgent }),
  );
  if (!node.isServing) return endpoints;
  await queue.keepOnly(endpoints.map(({ key }) => key));
  const follower = await EventFollower.start({ events, queue, endpoints, backlog: config.backlog, log });
  for (const endpoint of endpoints) onClose(() => endpoint.close());
  onClose(() => follower.close());
  for (const endpoint of endpoints) endpoint.wake();
  return endpoints;
}

interface Waiting {
  readonly label: string;
  readonly count: number;
}

function metricsOf(endpoints: readonly Endpoint[], waiting: readonly Waiting[]): Metric[] {
  const attempts = endpoints.flatMap(({ label, outcomes }) =>
    (['delivered', 'failed'] as const).map((outcome) => ({
      labels: { endpoint: label, outcome },
      value: outcomes[outcome],
    })),
  );
  const dropped = endpoints.map(({ label, outcomes }) => ({ labels: { endpoint: label }, value: outcomes.dropped }));
  const queued = waiting.map(({ label, count }) => ({ labels: { endpoint: label }, value: count }));
  return [
    counter('hostkeep_webhook_attempts_total', 'Attempts to deliver an event, by outcome', attempts),
    counter('hostkeep_webhook_given_up_total', 'Events dropped after the last attempt', dropped),
    gauge('hostkeep_webhook_waiting', 'Events waiting for delivery', queued),
  ];
}

function findingsOf(waiting: readonly Waiting[], limit: number): Finding[] {
  if (waiting.length === 0) return [{ name: 'webhooks', ok: true, detail: 'none configured' }];
  return waiting.map(({ label, count }) => ({
    name: `webhook ${label}`,
    ok: count < limit,
    detail: `${count} events waiting for delivery`,
    ...(count < limit
      ? {}
      : {
          isWarning: true,
          remedy: 'find out why the endpoint does not answer 2xx, or remove it from webhooks.endpoints',
        }),
  }));
}
