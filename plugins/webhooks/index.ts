import { Unavailable } from '../../kernel/errors.ts';
import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import { Endpoint } from './endpoint.ts';
import { EventFollower } from './follower.ts';
import { WebhooksConfig } from './schema.ts';
import { DeliveryQueue } from './store.ts';

export default definePlugin({
  name: 'webhooks',
  features: [],
  config: WebhooksConfig,
  routes: {},
  async setup({ config, store, events, node, log, onClose }) {
    const queue = new DeliveryQueue(store);
    assertEndpoints(config);
    const userAgent = `Hostkeep/${node.version}`;
    const endpoints = config.endpoints.map(
      (endpoint, i) => new Endpoint(i, { config: endpoint, settings: config, queue, log, userAgent }),
    );
    await queue.keepOnly(endpoints.map(({ key }) => key));
    if (endpoints.length > 0) {
      const follower = await EventFollower.start({ events, queue, endpoints, backlog: config.backlog, log });
      for (const endpoint of endpoints) onClose(() => endpoint.close());
      onClose(() => follower.close());
      for (const endpoint of endpoints) endpoint.wake();
    }
    const waiting = () =>
      Promise.all(endpoints.map(async ({ key, label }) => ({ label, count: await queue.waiting(key) })));
    return {
      handlers: {},
      provides: {
        metrics: async () => [
          {
            name: 'hostkeep_webhook_attempts_total',
            help: 'Attempts to deliver an event, by how they ended',
            type: 'counter' as const,
            samples: endpoints.flatMap(({ label, outcomes }) =>
              (['delivered', 'failed'] as const).map((outcome) => ({
                labels: { endpoint: label, outcome },
                value: outcomes[outcome],
              })),
            ),
          },
          {
            name: 'hostkeep_webhook_given_up_total',
            help: 'Events that were given up',
            type: 'counter' as const,
            samples: endpoints.map(({ label, outcomes }) => ({ labels: { endpoint: label }, value: outcomes.dropped })),
          },
          {
            name: 'hostkeep_webhook_waiting',
            help: 'Events that wait for delivery',
            type: 'gauge' as const,
            samples: (await waiting()).map(({ label, count }) => ({ labels: { endpoint: label }, value: count })),
          },
        ],
        doctor: async () => {
          if (endpoints.length === 0) return [{ name: 'webhooks', ok: true, detail: 'none configured' }];
          return (await waiting()).map(({ label, count }) => ({
            name: `webhook ${label}`,
            ok: count < config.backlog / 2,
            detail: `${count} events wait for delivery`,
            ...(count < config.backlog / 2
              ? {}
              : { remedy: 'see why the endpoint does not answer 2xx, or take it out of webhooks.endpoints' }),
          }));
        },
      },
    };
  },
});

function assertEndpoints({ endpoints }: WebhooksConfig): void {
  const seen = new Set<string>();
  for (const [i, { url }] of endpoints.entries()) {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    const wrong =
      parsed === undefined
        ? 'is not a URL'
        : parsed.username !== '' || parsed.password !== ''
          ? 'must not hold a password'
          : seen.has(parsed.href)
            ? 'is there twice'
            : undefined;
    if (wrong !== undefined)
      throw new Unavailable(`webhooks.endpoints[${i}].url ${wrong}`, 'correct the configuration');
    seen.add(parsed?.href ?? '');
  }
}
