import { HttpError, messageOf } from '../../kernel/errors.ts';
import {
  assertChange,
  defineCommands,
  textTable,
  type CommandContext,
  type OptionValues,
} from '../../kernel/plugin-api/command.ts';
import { formatTime } from '../../kernel/system/format.ts';
import { bodyOf, send } from './delivery.ts';
import { assertEndpoints } from './endpoint-urls.ts';
import { namesOf } from './endpoint.ts';
import type { EndpointConfig, WebhooksConfig } from './schema.ts';
import { DeliveryQueue, hasten, requeue } from './store.ts';

interface NamedEndpoint {
  readonly key: string;
  readonly label: string;
  readonly config: EndpointConfig;
}

export default defineCommands({
  name: 'webhook',
  summary: 'endpoints that get signed events, as `webhooks.endpoints` of the configuration names them',
  commands: [
    { usage: 'list', summary: 'list the endpoints, and how deliveries to them went', run: list },
    {
      usage: 'test <endpoint>',
      summary: 'send an event of the type webhook.test from here, and print what the endpoint answers',
      run: test,
    },
    {
      usage: 'redeliver <endpoint> [event]',
      summary: 'have the server deliver an event once more, by its id in the log, or all that wait',
      options: [{ flags: '--waiting', summary: 'all deliveries that wait for their next attempt' }],
      run: redeliver,
    },
  ],
});

/** The URL is not shown, because it may contain a secret. */
async function list(context: CommandContext) {
  const { endpoints } = await endpointsOf(context);
  return context.withStore(async ({ store }) => {
    const queue = new DeliveryQueue(store);
    const found = await Promise.all(
      endpoints.map(async ({ key, label, config }) => ({
        ...(await queue.state(key)),
        endpoint: label,
        events: config.events,
        waiting: await queue.waiting(key),
        next_attempt_at: (await queue.next(key))?.due_at ?? null,
      })),
    );
    const rows = found.map((each) => [
      each.endpoint,
      each.events.join(' '),
      ...[each.waiting, each.delivered, each.failed, each.given_up].map(String),
      each.delivered_at === null ? '' : formatTime(each.delivered_at),
      each.failed_at === null ? '' : `${formatTime(each.failed_at)} ${each.reason}`,
    ]);
    const value = found.map((each) => ({
      ...each,
      delivered_at: timeOrNull(each.delivered_at),
      failed_at: timeOrNull(each.failed_at),
      next_attempt_at: timeOrNull(each.next_attempt_at),
    }));
    const head = [
      'ENDPOINT',
      'EVENTS',
      'WAITING',
      'DELIVERED',
      'FAILED',
      'GIVEN UP',
      'DELIVERED (UTC)',
      'FAILED (UTC)',
    ];
    return { value, text: textTable(head, rows) };
  });
}

const timeOrNull = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** The exit code is 1 unless the answer is 2xx. */
async function test(context: CommandContext, [name = '']: readonly string[]) {
  const { settings, find } = await endpointsOf(context);
  const { label, config } = find(name);
  const event = { id: 0, at: Date.now(), type: 'webhook.test', account_id: null, username: '', ip: '', data: {} };
  const body = bodyOf({ ...event, line: 'An operator tests this webhook' });
  const startedMs = performance.now();
  const { status, reason } = await send(body, event.id, {
    url: new URL(config.url),
    secret: config.secret,
    timeoutMs: settings.timeout_ms,
    allowPrivate: settings.allow_private,
    userAgent: 'Hostkeep',
    signal: AbortSignal.timeout(2 * settings.timeout_ms),
  }).then(
    (answer) => ({ status: answer.status, reason: null }),
    (error: unknown) => ({ status: null, reason: messageOf(error) }),
  );
  const ms = Math.round(performance.now() - startedMs);
  const isAccepted = status !== null && status >= 200 && status < 300;
  if (!isAccepted) process.exitCode = 1;
  const answer = reason === null ? `answered ${status}` : `did not answer: ${reason}`;
  return { value: { endpoint: label, status, reason, ms }, text: `${label} ${answer} (${ms} ms)` };
}

/** Records an event, by which a running server notices; one that is not running delivers when it starts. */
async function redeliver(context: CommandContext, [name = '', event]: readonly string[], { waiting }: OptionValues) {
  if ((event === undefined) === (waiting !== true))
    throw new HttpError('invalid_request', 'name an event by its id, or give --waiting');
  const { key, label } = (await endpointsOf(context)).find(name);
  const eventId = event === undefined ? null : Number(event);
  return context.withStore(async ({ store, events }) => {
    const [found] = eventId === null ? [] : await events.after(eventId - 1, 1);
    if (eventId !== null && found?.id !== eventId)
      throw new HttpError('invalid_request', `the log has no event ${event}; \`hostkeep events --json\` shows ids`);
    const queued = await store.write(async (tx) => {
      const count = found === undefined ? await hasten(tx, key) : 1;
      if (found !== undefined) await requeue(tx, { endpoint: key, eventId: found.id, body: bodyOf(found) });
      assertChange(count > 0, `nothing waits for ${label}`);
      const text = `had ${found === undefined ? 'all that waits' : `event ${found.id}`} delivered again to ${label}`;
      const data = { endpoint: label, event_id: eventId };
      await events.record(tx, { type: 'webhook.requeued', text, ip: '', data });
      return count;
    });
    return {
      value: { endpoint: label, queued },
      text: `queued ${queued} ${queued === 1 ? 'delivery' : 'deliveries'} for ${label}`,
    };
  });
}

async function endpointsOf(context: CommandContext) {
  const settings = await context.settingsOf<WebhooksConfig>('webhooks');
  assertEndpoints(settings);
  const endpoints = settings.endpoints.map((config, i): NamedEndpoint => ({
    config,
    ...namesOf(i, new URL(config.url)),
  }));
  const find = (name: string): NamedEndpoint => {
    const found = endpoints.find(({ label }, i) => label === name || String(i) === name);
    if (found !== undefined) return found;
    const known =
      endpoints.length === 0 ? 'none is configured' : `use one of ${endpoints.map(({ label }) => label).join(', ')}`;
    throw new HttpError('invalid_request', `there is no endpoint ${name}: ${known}`);
  };
  return { settings, endpoints, find };
}
