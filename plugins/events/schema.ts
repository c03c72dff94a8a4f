import { NodeName } from '../../kernel/contract/forwarding.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const filter = {
  type: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9_.*-]{1,100}$',
      description: 'Only events of this type; * stands for anything, as in domain.*',
      examples: ['domain.*'],
    }),
  ),
  account: Type.Optional(
    Type.String({ maxLength: 64, description: 'Only events of an account, also of one that was removed' }),
  ),
  ip: Type.Optional(
    Type.String({ maxLength: 64, description: 'Only events from this address; empty for the command line' }),
  ),
  node: Type.Optional(NodeName('Only events that this node of a fleet recorded')),
};

export const EventsQuery = Type.Object({
  ...filter,
  since: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only events of this time or later; RFC 3339' }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 }),
  cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$', description: 'next_cursor of the previous page' })),
});
export type EventsQuery = Static<typeof EventsQuery>;
export const StreamQuery = Type.Object(filter);
export type StreamQuery = Static<typeof StreamQuery>;

const EventView = NamedObject('Event', {
  id: Type.Integer(),
  at: Type.String({ format: 'date-time', description: 'RFC 3339, UTC' }),
  type: Type.String({ description: 'Thing and change: domain.added' }),
  account_id: Type.Union([Type.Integer(), Type.Null()], {
    description: 'null for events of the server, and for accounts that were removed since',
  }),
  username: Type.String({ description: 'Empty for events of the server' }),
  ip: Type.String({ description: 'Address of the client; empty for the command line' }),
  node: Type.Union([Type.String(), Type.Null()], {
    description: 'The node of a fleet that recorded it; null for a server by itself',
  }),
  text: Type.String({ description: 'The line of the activity log' }),
  summary: Type.String({
    description: "What happened, in the administrator's language; in English for API tokens",
  }),
  data: Type.Record(Type.String(), Type.Unknown(), { description: 'What belongs to this type' }),
});
export type EventView = Static<typeof EventView>;
export const EventPage = NamedObject('EventPage', {
  events: Type.Array(EventView, { description: 'Newest first' }),
  next_cursor: Type.Union([Type.String(), Type.Null()], {
    description:
      'Cursor of the next page; null on the last one. A page may have fewer events than its limit before that',
  }),
});
export type EventPage = Static<typeof EventPage>;
