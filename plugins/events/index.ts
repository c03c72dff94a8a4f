import type { Log } from '../../kernel/log.ts';
import { isNode, noNode } from '../../kernel/areas/fleet-nodes.ts';
import { SharedCounter } from '../../kernel/contract/workers.ts';
import { readersLanguage } from '../../kernel/contract/route-spec.ts';
import { definePlugin, type Host } from '../../kernel/contract/plugin.ts';
import type { AuditLog } from '../../kernel/store/events/audit-log.ts';
import type { EventFilter } from '../../kernel/store/events/event-search.ts';
import { Type } from '../../kernel/schema.ts';
import { EventFollowers } from './event-followers.ts';
import { eventView } from './event-view.ts';
import { EventPage, EventsQuery, StreamQuery } from './schema.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const admin = { method: 'GET', address: 'admin', access: 'admin' } as const;

/** Shows administrators the log of all events, as it is and as it grows. */
export default definePlugin({
  name: 'events',
  description: 'What happened on the server, to whom and from where.',
  features: [],
  config: Type.Object({
    kept_days: Type.Integer({
      minimum: 0,
      maximum: 36_500,
      default: 0,
      description:
        'Events that are older are removed, once an hour; 0 = none are. Of each account, at most 10,000 are kept in any case',
    }),
  }),
  routes: {
    list: {
      ...admin,
      path: '/api/events',
      summary: 'Search the events of all accounts and of the server, newest first',
      description:
        'Each request looks at some thousands of events: follow next_cursor until it is null, even where a page is empty.',
      query: EventsQuery,
      reply: EventPage,
      errors: ['node_not_found'],
    },
    stream: {
      ...admin,
      path: '/api/events/stream',
      summary: 'Follow events as they happen, as server-sent events',
      description:
        'Each event `event` holds what GET /api/events has. With `Last-Event-ID`, the stream begins with the events ' +
        'missed since, of the last ten thousand of the log. No event is left out for a slow client.',
      query: StreamQuery,
      reply: Type.String(),
      produces: ['text/event-stream'],
      headers: ['last-event-id'],
      errors: ['overloaded'],
    },
  },
  setup(host) {
    const { config, events, log, node, workers, onClose } = host;
    if (config.kept_days > 0) void node.onLeader(() => onClose(removeOld(events, log, config.kept_days * DAY_MS)));
    const counts = new SharedCounter(workers, 'event streams');
    onClose(() => counts.close());
    const streams = new EventFollowers(events, node.locales, log, counts);
    onClose(() => streams.close());
    return {
      handlers: {
        list: (call) => search(host, call.query, readersLanguage(call, node.locales)),
        stream: (call) =>
          streams.open(filterOf(call.query), {
            lastEventId: call.header('last-event-id'),
            account: call.account,
            language: readersLanguage(call, node.locales),
          }),
      },
    };
  },
});

/** Removes events older than an age, now and each hour; returns what ends that. */
function removeOld(events: AuditLog, log: Log, ageMs: number): () => Promise<void> {
  let isClosed = false;
  let removing: Promise<void> | undefined;
  const sweep = () => {
    removing ??= events
      .removeBefore(Date.now() - ageMs, () => isClosed)
      .catch((error: unknown) => log.warn({ err: error }, 'old events could not be removed; the next hour tries again'))
      .then(() => void (removing = undefined));
  };
  const timer = setInterval(sweep, HOUR_MS).unref();
  sweep();
  return async () => {
    isClosed = true;
    clearInterval(timer);
    await removing;
  };
}

/** Errors: 404 `node_not_found` for a name that neither a node of the fleet nor any event has. */
async function search(
  host: Pick<Host, 'events' | 'gather' | 'node'>,
  { limit, cursor, since, ...query }: EventsQuery,
  language: string,
): Promise<EventPage> {
  const filter = { ...filterOf(query), ...(since !== undefined && { since: Date.parse(since) }) };
  const { events, next } = await host.events.search(filter, limit, cursor === undefined ? undefined : Number(cursor));
  const { node } = query;
  if (node !== undefined && cursor === undefined && events.length === 0)
    if (!(await isNode(host, node)) && !(await host.events.hasOf(node))) throw noNode(node);
  return {
    events: events.map((event) => eventView(event, host.node.locales, language)),
    next_cursor: next === null ? null : String(next),
  };
}

function filterOf({ type, account, ip, node }: StreamQuery): EventFilter {
  return {
    ...(type !== undefined && { type }),
    ...(account !== undefined && { username: account }),
    ...(ip !== undefined && { ip }),
    ...(node !== undefined && { node }),
  };
}
