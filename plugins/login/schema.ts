import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const Budget = (minute: number, hour: number, day: number, textOf: (window: string) => string) => {
  const most = (window: string, value: number) =>
    Type.Integer({ minimum: 1, maximum: 10_000, default: value, description: textOf(window) });
  return Type.Object(
    { minute: most('a minute', minute), hour: most('an hour', hour), day: most('a day', day) },
    { additionalProperties: false, default: {} },
  );
};

export const LoginConfig = Type.Object(
  {
    issuer: Type.String({
      minLength: 1,
      maxLength: 64,
      pattern: '^[^:]+$',
      default: 'Hostkeep',
      description: 'Name of the panel, as shown in authenticator apps',
    }),
    home_url: Type.String({
      pattern: '^(https?://[^/]+(/.*[^/])?)?$',
      default: '',
      description: 'Where customers open their pages, for links to them; empty = at the address that listens',
    }),
    account_failures: Budget(
      5,
      20,
      50,
      (window) => `Failed passwords and codes of one account in ${window}, after which further attempts are refused`,
    ),
    address_failures: Budget(
      30,
      150,
      500,
      (window) =>
        `Failed passwords and codes from one address in ${window}, after which further attempts are refused. Many customers ` +
        'may share it. IPv6 addresses count by their first 64 bits, and by their first 48 bits with four times as many',
    ),
  },
  { additionalProperties: false },
);

/** Longer than any valid password or name, so that an overlong one is refused like any wrong one. */
export const Password = Type.String({ maxLength: 1024 });
export const Code = Type.String({
  maxLength: 256,
  description: 'Six digits from the authenticator app, or a recovery code',
});
export const CodeIfAny = Type.Optional(Type.Union([Code, Type.Null()], { description: 'null is like absent' }));

export const UserId = Type.Integer({ description: 'Number of the account' });
export const TwofaRequired = NamedObject(
  'TwofaRequired',
  { twofa_required: Type.Literal(true), user_id: UserId },
  { additionalProperties: false, description: 'The password is correct; a code is required' },
);

export const Time = Type.String({ format: 'date-time', description: 'RFC 3339, UTC' });
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
  next_cursor: Type.Union([Type.String(), Type.Null()], {
    description: 'Cursor of the next page; null on the last one',
  }),
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
  next_cursor: Type.Union([Type.String(), Type.Null()], {
    description: 'Cursor of the next page; null on the last one',
  }),
});
export const SessionParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
export const SessionEnded = NamedObject('SessionEnded', { id: Type.String(), ended: Type.Literal(true) });

export const AccountParams = Type.Object({
  username: Type.String({ minLength: 1, maxLength: 64, examples: ['jane'] }),
});
