import { NextCursor } from '../../kernel/kit/position.ts';
import { NamedObject, NO_CONTROL, Type, type Static } from '../../kernel/schema.ts';

export const AccountParams = Type.Object({
  username: Type.String({ minLength: 1, maxLength: 64, examples: ['jane'] }),
});

const Time = Type.String({ format: 'date-time', description: 'RFC 3339, UTC' });
const SessionView = NamedObject('Session', {
  id: Type.String(),
  created_at: Time,
  expires_at: Time,
  ip: Type.String(),
  user_agent: Type.String(),
  opened_by: Type.Union([Type.String(), Type.Null()], {
    description: 'The administrator who opened it with a login link; null where the account itself logged in',
  }),
  current: Type.Boolean({ description: 'Whether it is the session of this request' }),
});
export type SessionView = Static<typeof SessionView>;
export const SessionsQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 100 }),
  cursor: Type.String({ maxLength: 64, default: '', description: 'next_cursor of the previous page' }),
});
export type SessionsQuery = Static<typeof SessionsQuery>;
export const SessionsReply = NamedObject('SessionPage', {
  sessions: Type.Array(SessionView, { description: 'Newest first' }),
  next_cursor: NextCursor,
});
export const AllSessionsQuery = Type.Object({
  ...SessionsQuery.properties,
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 }),
});
const OwnedSession = NamedObject('OwnedSession', {
  username: Type.String(),
  role: Type.String(),
  ...SessionView.properties,
});
export const AllSessions = NamedObject('OwnedSessionPage', {
  sessions: Type.Array(OwnedSession, { description: 'Those that last longest first' }),
  total: Type.Integer({ description: 'On all pages' }),
  next_cursor: NextCursor,
});
export const SessionParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
export const SessionEnded = NamedObject('SessionEnded', { id: Type.String(), ended: Type.Literal(true) });

export const ActivityQuery = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 }),
  search: Type.String({ maxLength: 255, default: '', description: 'Part of a line, not case-sensitive' }),
  show_all: Type.Boolean({ default: false, description: 'true returns all lines on one page' }),
});
export type ActivityQuery = Static<typeof ActivityQuery>;
export const ActivityPage = NamedObject('ActivityPage', {
  log_content: Type.Array(Type.String(), { description: 'Newest first' }),
  current_page: Type.Integer(),
  items_per_page: Type.Integer(),
  total_pages: Type.Integer({ description: '1 where there are no lines' }),
  total_lines: Type.Integer(),
  search_term: Type.String(),
  show_all: Type.Boolean(),
});
export type ActivityPage = Static<typeof ActivityPage>;

export const EventsQuery = Type.Object({
  search: Type.String({ maxLength: 255, default: '', description: 'Part of a line of the log, not case-sensitive' }),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 25 }),
  cursor: Type.String({
    pattern: '^([0-9]{1,16}-[0-9]{1,16})?$',
    default: '',
    description: 'next_cursor of the previous page',
  }),
});
export type EventsQuery = Static<typeof EventsQuery>;
export const AccountEventPage = NamedObject('AccountEventPage', {
  events: Type.Array(
    NamedObject('AccountEvent', {
      id: Type.Integer(),
      at: Type.String({ format: 'date-time', description: 'RFC 3339, UTC' }),
      type: Type.String({ description: 'Thing and change: domain.added' }),
      ip: Type.String({ description: 'Address of the client; empty for the operator at the server' }),
      summary: Type.String({ description: 'What happened, in the language of the account; in English for API tokens' }),
      data: Type.Record(Type.String(), Type.Unknown(), { description: 'What belongs to this type' }),
    }),
    { description: 'Newest first' },
  ),
  next_cursor: NextCursor,
});
export type AccountEventPage = Static<typeof AccountEventPage>;

export const Languages = NamedObject('Languages', {
  locales: Type.Array(Type.String(), { description: 'Installed on the server, en first' }),
  current: Type.String(),
});
export type Languages = Static<typeof Languages>;
export const LanguageBody = NamedObject('LanguageChange', { locale: Type.String({ maxLength: 35 }) });

const LINK = 'An http or https URL, or an absolute path';
export const Favorite = NamedObject('Favorite', { link: Type.String(), title: Type.String() });
export type Favorite = Static<typeof Favorite>;
export const Favorites = Type.Array(Favorite);
export const FavoriteBody = NamedObject('NewFavorite', {
  link: Type.String({ minLength: 1, maxLength: 2048, pattern: NO_CONTROL, description: LINK }),
  title: Type.String({ minLength: 1, maxLength: 255, pattern: NO_CONTROL }),
  position: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 49,
      description:
        'Place in the list, from 0; without it, a new one comes last and one that is there stays where it is',
    }),
  ),
});
export type FavoriteBody = Static<typeof FavoriteBody>;
export const FavoriteLink = NamedObject('FavoriteLink', { link: Type.String({ maxLength: 2048, description: LINK }) });

export const LoginRecords = Type.Array(
  NamedObject('LoginRecord', {
    country_code: Type.String({ description: 'ISO 3166-1 alpha-2; empty for private and unknown addresses' }),
    ip: Type.String(),
    login_time: Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' }),
    login_at: Type.String({ format: 'date-time', description: 'The same, RFC 3339' }),
  }),
  { description: 'The last 20, newest first' },
);
export type LoginRecords = Static<typeof LoginRecords>;
