import { invalid } from '../../kernel/errors.ts';
import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import type { AuditLog, EventFilter } from '../../kernel/storage/audit-log.ts';
import { Type } from '../../kernel/schema.ts';
import { EventStreams } from './event-streams.ts';
import { eventView } from './event-view.ts';
import { EventPage, EventsQuery, StreamQuery } from './schema.ts';

const admin = { method: 'GET', address: 'admin', access: 'admin' } as const;

/** Shows administrators the log of all events, as it is and as it grows. */
export default definePlugin({
  name: 'events',
  description: 'What happened on the server, to whom and from where.',
  features: [],
  routes: {
    list: {
      ...admin,
      path: '/api/events',
      summary: 'Search the events of all accounts and of the server, newest first',
      description:
        'Each request looks at some thousands of events: follow next_cursor until it is null, even where a page is empty.',
      query: EventsQuery,
      reply: EventPage,
    },
    stream: {
      ...admin,
      path: '/api/events/stream',
      summary: 'Events as they happen, as server-sent events',
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
  setup({ events, log, workers, onClose }) {
    const counts = workers.counts('event streams');
    onClose(() => counts.close());
    const streams = new EventStreams(events, log, counts);
    onClose(() => streams.close());
    return {
      handlers: {
        list: ({ query }) => search(events, query),
        stream: (call) => streams.open(filterOf(call.query), call.header('last-event-id'), call.account),
      },
    };
  },
});

async function search(log: AuditLog, { limit, cursor, since, ...query }: EventsQuery): Promise<EventPage> {
  const sinceMs = since === undefined ? undefined : Date.parse(since);
  if (Number.isNaN(sinceMs)) throw invalid('query', [{ path: '/since', message: 'is no time' }]);
  const filter = { ...filterOf(query), ...(sinceMs !== undefined && { since: sinceMs }) };
  const { events, next } = await log.search(filter, limit, cursor === undefined ? undefined : Number(cursor));
  return { events: events.map(eventView), next_cursor: next === null ? null : String(next) };
}

function filterOf({ type, account, ip, node }: StreamQuery): EventFilter {
  return {
    ...(type !== undefined && { type }),
    ...(account !== undefined && { username: account }),
    ...(ip !== undefined && { ip }),
    ...(node !== undefined && { node }),
  };
}
