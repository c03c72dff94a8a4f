import { definePlugin, type Host } from '../../kernel/contract/plugin.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { counter, gauge, type Metric } from '../../kernel/contract/points/metric.ts';
import { describeWebhooks } from './description.ts';
import { assertEndpoints } from './delivery/endpoint-faults.ts';
import type { Endpoints } from './delivery/endpoints.ts';
import type { EventFollower as Follower } from './delivery/event-follower.ts';
import type { FleetLead as Lead } from './delivery/fleet-lead.ts';
import { editing } from './editing.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import type { NamedEndpoint } from './own-endpoints.ts';
import { routes } from './routes.ts';
import * as schema from './schema.ts';
import { DeliveryQueue } from './store.ts';

/** Loaded when it is needed, to save start-up time. */
const operations = () => import('./operations.ts');

export default definePlugin({
  name: 'webhooks',
  description: 'Events that the server sends to endpoints of its configuration, and of the console.',
  features: [],
  errors: fail,
  events,
  config: schema.WebhooksConfig,
  routes,
  async setup(given) {
    const { isDemo, isServing } = given.node;
    const isReceiving = isDemo && isServing && given.config.endpoints.length === 0;
    const host = isReceiving ? await (await import('./demo.ts')).withReceiver(given) : given;
    const { config, store } = host;
    const queue = new DeliveryQueue(store);
    assertEndpoints(config);
    const read = async () => (await operations()).allEndpoints(config, host);
    const mayHaveSome = config.endpoints.length > 0 || config.allow_console;
    if (!mayHaveSome && host.node.isServing && host.node.fleet === undefined)
      await host.node.onLeader(() => queue.keepOnly([]));
    const delivering = mayHaveSome ? await deliverTo(host, queue, read) : undefined;
    const waiting = async () => {
      const all = delivering === undefined ? [] : await read();
      return Promise.all(all.map(async ({ key, label }) => ({ key, label, count: await queue.waiting(key) })));
    };
    const find = async (id: string) => {
      const found = (await read()).find(({ key }) => key === id);
      if (found === undefined) throw fail.webhook_not_found('there is no such webhook');
      return found;
    };
    const tests = new Map<string, Promise<schema.TestedEndpoint>>();
    return {
      handlers: {
        list: async () => {
          const [{ endpointView }, all] = [await operations(), await read()];
          const webhooks = await Promise.all(all.map((each) => endpointView(queue, each)));
          return { webhooks, editable: config.allow_console };
        },
        ...editing(host),
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
        metrics: async () => metricsOf(delivering, await waiting()),
        doctor: async () => findingsOf(await waiting(), config.backlog / 2),
      },
    };
  },
});

/** Delivers events to the endpoints. Its code is loaded only where there may be any, to save start-up time. */
async function deliverTo(
  host: Host<schema.WebhooksConfig>,
  queue: DeliveryQueue,
  read: () => Promise<readonly NamedEndpoint[]>,
): Promise<Endpoints> {
  const { config, events, node, log, onClose } = host;
  const [{ Endpoints }, { EventFollower }, { FleetLead }] = await Promise.all([
    import('./delivery/endpoints.ts'),
    import('./delivery/event-follower.ts'),
    import('./delivery/fleet-lead.ts'),
  ]);
  let lead: Lead | undefined;
  const isLeading = () => node.fleet === undefined || lead?.isLeading === true;
  const userAgent = `Hostkeep/${node.version}`;
  const endpoints = new Endpoints({ read, settings: config, queue, log, userAgent, isLeading });
  if (!node.isServing) return endpoints;
  let follower: Follower | undefined;
  await node.onLeader(async () => {
    if (node.fleet !== undefined) {
      const failed = (error: unknown) => log.warn({ err: error }, 'the deliveries that wait could not be read');
      const onLead = () => void endpoints.refresh().then(() => follower?.wake(), failed);
      const leading = new FleetLead({ leases: node.leases, log, onLead });
      lead = leading;
      onClose(() => leading.close());
    }
    onClose(() => endpoints.close());
    follower = await EventFollower.start({ events, queue, endpoints, backlog: config.backlog, log, isLeading });
    onClose(() => follower?.close());
  });
  return endpoints;
}

interface Waiting {
  readonly key: string;
  readonly label: string;
  readonly count: number;
}

function metricsOf(delivering: Endpoints | undefined, waiting: readonly Waiting[]): Metric[] {
  const known = waiting.flatMap(({ key, label }) =>
    delivering === undefined ? [] : [{ label, outcomes: delivering.outcomes(key) }],
  );
  const attempts = known.flatMap(({ label, outcomes }) =>
    (['delivered', 'failed'] as const).map((outcome) => ({
      labels: { endpoint: label, outcome },
      value: outcomes[outcome],
    })),
  );
  const dropped = known.map(({ label, outcomes }) => ({ labels: { endpoint: label }, value: outcomes.dropped }));
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
