import { assertChange, defineCommands, type CommandContext, type OptionValues } from '../../kernel/contract/command.ts';
import { formatTime, textTable } from '../../kernel/kit/format.ts';
import { allEndpoints, redeliver as redeliverTo, endpointView, testEndpoint } from './operations.ts';
import type { NamedEndpoint } from './own-endpoints.ts';
import type { WebhooksConfig } from './schema.ts';
import { DeliveryQueue } from './store.ts';
import { fail } from './errors.ts';

export default defineCommands({
  name: 'webhook',
  summary: 'endpoints that get signed events: those of the configuration (`webhooks.endpoints`) and of the console',
  commands: [
    { usage: 'list', summary: 'list the endpoints, and how deliveries to them went', run: list },
    {
      usage: 'test <endpoint>',
      summary: 'send a webhook.test event from this command, and print what the endpoint answers',
      run: test,
    },
    {
      usage: 'redeliver <endpoint> [event]',
      summary: 'have the server deliver an event once more, by its id in `hostkeep events --json`, or all that wait',
      options: [{ flags: '--waiting', summary: 'deliver all that wait for their next attempt' }],
      run: redeliver,
    },
  ],
});

const HEAD = ['ENDPOINT', 'EVENTS', 'WAITING', 'DELIVERED', 'FAILED', 'GIVEN UP', 'DELIVERED (UTC)', 'FAILED (UTC)'];

async function list(context: CommandContext) {
  return context.withStore(async (open) => {
    const { endpoints } = await endpointsOf(context, open);
    const { store } = open;
    const queue = new DeliveryQueue(store);
    const value = await Promise.all(endpoints.map((each) => endpointView(queue, each)));
    const rows = value.map((each) => [
      each.endpoint,
      each.events.join(' '),
      ...[each.waiting, each.delivered, each.failed, each.given_up].map(String),
      timeText(each.delivered_at),
      each.failed_at === null ? '' : `${timeText(each.failed_at)} ${each.reason}`,
    ]);
    return { value, text: textTable(HEAD, rows) };
  });
}

const timeText = (at: string | null): string => (at === null ? '' : formatTime(Date.parse(at)));

/** The exit code is 1 unless the answer is 2xx. */
async function test(context: CommandContext, [name = '']: readonly string[]) {
  const value = await context.withStore(async (open) => {
    const { settings, find } = await endpointsOf(context, open);
    return testEndpoint(settings, find(name));
  });
  if (!value.accepted) process.exitCode = 1;
  const answer = value.reason === null ? `answered ${value.status}` : `did not answer: ${value.reason}`;
  return { value, text: `${value.endpoint} ${answer} (${value.ms} ms)` };
}

async function redeliver(context: CommandContext, [name = '', event]: readonly string[], { waiting }: OptionValues) {
  if ((event === undefined) === (waiting !== true))
    throw fail.invalid_request('name an event by its id, or give --waiting');
  const eventId = event === undefined ? null : Number(event);
  const { endpoint, queued } = await context.withStore(async (open) => {
    const endpoint = (await endpointsOf(context, open)).find(name);
    return { endpoint, queued: await redeliverTo(open, { endpoint, eventId, ip: '' }) };
  });
  assertChange(queued > 0, `nothing waits for ${endpoint.label}`);
  return {
    value: { endpoint: endpoint.label, queued },
    text: `queued ${queued} ${queued === 1 ? 'delivery' : 'deliveries'} for ${endpoint.label}`,
  };
}

async function endpointsOf(context: CommandContext, open: Parameters<typeof allEndpoints>[1]) {
  const settings = await context.settingsOf<WebhooksConfig>('webhooks');
  const endpoints = await allEndpoints(settings, open);
  const find = (name: string): NamedEndpoint => {
    const found = endpoints.find(({ label }, i) => label === name || String(i) === name);
    if (found !== undefined) return found;
    const known =
      endpoints.length === 0 ? 'none is configured' : `use one of ${endpoints.map(({ label }) => label).join(', ')}`;
    throw fail.invalid_request(`there is no endpoint ${name}: ${known}`);
  };
  return { settings, endpoints, find };
}
