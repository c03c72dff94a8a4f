import { definePlugin, type Host } from '../../kernel/contract/plugin.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { counter, gauge, type Metric } from '../../kernel/contract/points/metric.ts';
import { describeWebhooks } from './description.ts';
import { assertEndpoints } from './delivery/endpoint-faults.ts';
import type { Endpoint } from './delivery/endpoint.ts';
import type { EventFollower as Follower } from './delivery/event-follower.ts';
import type { FleetLead as Lead } from './delivery/fleet-lead.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import * as schema from './schema.ts';
import { DeliveryQueue } from './store.ts';

const admin = { address: 'admin', access: 'admin' } as const;
/** Loaded when it is needed, to save start-up time. */
const operations = () => import('./operations.ts');

export default definePlugin({
  name: 'webhooks',
  description: 'Events that the server sends to the endpoints in its configuration.',
  features: [],
  errors: fail,
  events,
  config: schema.WebhooksConfig,
  routes: {
    list: {
      ...admin,
      method: 'GET',
      path: '/api/webhooks',
      summary: 'List the endpoints of the configuration, and how deliveries to them went',
      description: 'URLs are not shown, because they may contain secrets. The counts are kept over restarts.',
      reply: schema.EndpointList,
    },
    attempts: {
      ...admin,
      method: 'GET',
      path: '/api/webhooks/:id/attempts',
      summary: 'List the last 20 attempts to deliver to an endpoint, with what was sent and answered',
      description: 'Newest first, also those that failed.',
      params: schema.EndpointParams,
      reply: schema.AttemptList,
      errors: ['webhook_not_found'],
    },
    test: {
      ...admin,
      method: 'POST',
      path: '/api/webhooks/:id/test',
      summary: 'Send an event of the type webhook.test, and get what the endpoint answers',
      description: 'Tests of an endpoint at the same time are one. It is not tried again.',
      params: schema.EndpointParams,
      reply: schema.TestedEndpoint,
      errors: ['webhook_not_found'],
    },
    redeliver: {
      ...admin,
      method: 'POST',
      path: '/api/webhooks/:id/redeliver',
      summary: 'Deliver an event of the log once more, or all that wait, at once',
      description: 'Deliveries that were given up are not among those that wait: name their event.',
      params: schema.EndpointParams,
      body: schema.RedeliverBody,
      reply: schema.Redelivered,
      errors: ['webhook_not_found'],
    },
  },
  async setup(given) {
    const { isDemo, isServing } = given.node;
    const isReceiving = isDemo && isServing && given.config.endpoints.length === 0;
    const host = isReceiving ? await (await import('./demo.ts')).withReceiver(given) : given;
    const { config, store } = host;
    const queue = new DeliveryQueue(store);
    assertEndpoints(config);
    if (config.endpoints.length === 0 && host.node.isServing && host.node.fleet === undefined)
      await host.node.onLeader(() => queue.keepOnly([]));
    const endpoints = config.endpoints.length === 0 ? [] : await deliverTo(host, queue);
    const waiting = () =>
      Promise.all(endpoints.map(async ({ key, label }) => ({ label, count: await queue.waiting(key) })));
    const find = async (id: string) => {
      const found = (await operations()).endpointsIn(config).find(({ key }) => key === id);
      if (found === undefined) throw fail.webhook_not_found('the configuration has no such webhook');
      return found;
    };
    const tests = new Map<string, Promise<schema.TestedEndpoint>>();
    return {
      handlers: {
        list: async () => {
          const { endpointsIn, endpointView } = await operations();
          return { webhooks: await Promise.all(endpointsIn(config).map((each) => endpointView(queue, each))) };
        },
        attempts: async ({ params: { id } }) => {
          const [endpoint, { attemptList }] = [await find(id), await operations()];
          return attemptList(store, endpoint);
        },
        test: async ({ params: { id } }) => {
          const [endpoint, { testEndpoint }] = [await find(id), await operations()];
          const running = tests.get(id) ?? testEndpoint(config, endpoint).finally(() => tests.delete(id));
          tests.set(id, running);
          return running;
        },
        redeliver: async ({ params: { id }, body: { event_id: eventId }, account: { username }, ip }) => {
          const endpoint = await find(id);
          const queued = await (await operations()).redeliver(host, { endpoint, eventId, ip, username });
          return { id, endpoint: endpoint.label, queued };
        },
      },
      provides: {
        webhooks: () => describeWebhooks(host.node.events()),
        metrics: async () => metricsOf(endpoints, await waiting()),
        doctor: async () => findingsOf(await waiting(), config.backlog / 2),
      },
    };
  },
});

/** Delivers events to the configured endpoints. Its code is loaded only where there are any, to save start-up time. */
async function deliverTo(host: Host<schema.WebhooksConfig>, queue: DeliveryQueue): Promise<Endpoint[]> {
  const { config, events, node, log, onClose } = host;
  const [{ Endpoint }, { EventFollower }, { FleetLead }] = await Promise.all([
    import('./delivery/endpoint.ts'),
    import('./delivery/event-follower.ts'),
    import('./delivery/fleet-lead.ts'),
  ]);
  let lead: Lead | undefined;
  const isLeading = () => node.fleet === undefined || lead?.isLeading === true;
  const userAgent = `Hostkeep/${node.version}`;
  const endpoints = config.endpoints.map(
    (endpoint, i) => new Endpoint(i, { config: endpoint, settings: config, queue, log, userAgent, isLeading }),
  );
  if (!node.isServing) return endpoints;
  const begin = async () => {
    await queue.keepOnly(endpoints.map(({ key }) => key));
    follower?.wake();
    for (const endpoint of endpoints) endpoint.wake();
  };
  let follower: Follower | undefined;
  await node.onLeader(async () => {
    if (node.fleet !== undefined) {
      const failed = (error: unknown) => log.warn({ err: error }, 'the deliveries that wait could not be read');
      const onLead = () => void begin().catch(failed);
      const leading = new FleetLead({ leases: node.leases, log, onLead });
      lead = leading;
      onClose(() => leading.close());
    }
    follower = await EventFollower.start({ events, queue, endpoints, backlog: config.backlog, log, isLeading });
    for (const endpoint of endpoints) onClose(() => endpoint.close());
    onClose(() => follower?.close());
    if (node.fleet === undefined) await begin();
  });
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
    gauge('hostkeep_webhook_waiting', 'Events waiting for delivery, in the whole store', queued),
  ];
}

function findingsOf(waiting: readonly Waiting[], limit: number): Finding[] {
  if (waiting.length === 0) return [{ name: 'webhooks', ok: true, isUntried: true, detail: 'none configured' }];
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
