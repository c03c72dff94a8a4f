import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const Budget = (minute: number, hour: number, day: number, description: string) =>
  Type.Object(
    {
      minute: Type.Integer({ minimum: 1, maximum: 10_000, default: minute }),
      hour: Type.Integer({ minimum: 1, maximum: 10_000, default: hour }),
      day: Type.Integer({ minimum: 1, maximum: 10_000, default: day }),
    },
    { additionalProperties: false, default: {}, description },
  );

export const AccountConfig = Type.Object(
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
      description: 'Where customers open their pages, for links to them; empty: at the address that listens',
    }),
    account_failures: Budget(
      5,
      20,
      50,
      'Failed passwords and codes per account before further attempts are refused, in each window',
    ),
    address_failures: Budget(
      30,
      150,
      500,
      'The same per client address, which many customers may share; IPv6 addresses count by their first 64 bits, and ' +
        'by their first 48 bits with four times as many',
    ),
  },
  { additionalProperties: false },
);

/** Longer than any valid password or name, so that an overlong one is refused like any wrong one. */
export const Password = Type.String({ maxLength: 1024 });
const Code = Type.String({ maxLength: 256, description: 'Six digits from the authenticator app, or a recovery code' });
export const CodeIfAny = Type.Optional(Type.Union([Code, Type.Null()], { description: 'null is like absent' }));

export const LoginBody = NamedObject('LoginRequest', {
  username: Type.String({ maxLength: 1024 }),
  password: Password,
  twofa_code: CodeIfAny,
});
const UserId = Type.Integer({ description: 'Number of the account' });
export const LoginReply = NamedObject('Login', {
  token: Type.String({
    description: 'Bearer token (JWT); empty for a page of this address, which has it in a cookie instead',
  }),
  user_id: UserId,
  expires_in: Type.Integer({ description: 'Seconds' }),
});
export const TwofaRequired = NamedObject(
  'TwofaRequired',
  { twofa_required: Type.Literal(true), user_id: UserId },
  { additionalProperties: false, description: 'The password is correct; a code is required' },
);

export const ReauthenticateBody = NamedObject('ReauthenticationRequest', { password: Password, twofa_code: CodeIfAny });
export const Reauthenticated = NamedObject('Reauthentication', {
  reauthenticated: Type.Literal(true),
  expires_in: Type.Integer({
    description: 'Seconds for which it counts, in this session only; a change of a credential ends it',
  }),
});

export const LogoutReply = NamedObject('LoggedOut', { logged_out: Type.Literal(true) });

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
export const LoginLink = NamedObject('LoginLink', {
  url: Type.String({ description: 'Opens the account in a browser, once; its last part is secret' }),
  expires_in: Type.Integer({ description: 'Seconds' }),
});
export const LoginLinkBody = NamedObject('LoginLinkRequest', {
  code: Type.String({ maxLength: 128, description: 'What the URL of the link has after #login=' }),
});
export const SessionParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
export const SessionEnded = NamedObject('SessionEnded', { id: Type.String(), ended: Type.Literal(true) });

export const PasswordBody = NamedObject('PasswordChange', {
  password: Password,
  new_password: Type.String({ minLength: 8, maxLength: 128 }),
});
export const PasswordReply = NamedObject('PasswordChanged', { changed: Type.Literal(true) });

export const TwofaStatus = NamedObject('TwofaStatus', {
  enabled: Type.Boolean(),
  method: Type.String({ description: 'authenticator_app; empty while it is off' }),
  code: Type.Literal('', { description: 'Always empty: the server never discloses a code' }),
});
export const TwofaSetupBody = NamedObject('TwofaSetupRequest', { password: Password });
export const TwofaSetup = NamedObject('TwofaSetup', {
  secret: Type.String({ description: 'Base32, for apps that cannot scan the QR code' }),
  otpauth_url: Type.String(),
  qr: Type.String({ description: 'otpauth_url as a QR code: data URL of an SVG' }),
});
export type TwofaSetup = Static<typeof TwofaSetup>;
export const TwofaConfirmBody = NamedObject('TwofaConfirmation', { code: Code });
export const TwofaConfirmed = NamedObject('TwofaConfirmed', {
  enabled: Type.Literal(true),
  recovery_codes: Type.Array(Type.String(), { description: 'Shown only once; each can replace one code' }),
});
export const TwofaOffBody = NamedObject('TwofaRemoval', { password: Password, code: Code });
export const TwofaOff = NamedObject('TwofaRemoved', { enabled: Type.Literal(false) });
export const AccountParams = Type.Object({
  username: Type.String({ minLength: 1, maxLength: 64, examples: ['jane'] }),
});
export const UnlockQuery = Type.Object({
  from: Type.String({
    maxLength: 64,
    default: '',
    description: 'Address of the owner, from which others can no longer lock the account',
  }),
});
export const Unlocked = NamedObject('AccountUnlocked', { username: Type.String(), unlocked: Type.Literal(true) });
export const TwofaReset = NamedObject('TwofaReset', { username: Type.String(), enabled: Type.Literal(false) });

const Lock = NamedObject('Lock', {
  key: Type.String({ description: 'Names the lock in DELETE /api/locks/{key}' }),
  kind: Type.String({
    enum: ['account', 'account_from_network', 'account_in_known_network', 'network'],
    description:
      'account: refused from all networks in which it has not logged in before; account_from_network: from one of ' +
      'these; account_in_known_network: where it has; network: no account from there',
  }),
  username: Type.Union([Type.String(), Type.Null()], {
    description: 'null for a network, and for a name that no account has',
  }),
  network: Type.Union([Type.String(), Type.Null()], { description: 'Address, or network of IPv6' }),
  failures: Type.Integer({ description: 'In the last day' }),
  until: Time,
});
export type Lock = Static<typeof Lock>;
export const LockList = NamedObject('LockList', {
  locks: Type.Array(Lock, { maxItems: 200, description: 'Newest failures first' }),
  truncated: Type.Boolean({ description: 'Whether there may be more' }),
});
export type LockList = Static<typeof LockList>;
export const LockParams = Type.Object({
  key: Type.String({ maxLength: 256, examples: ['YWRkcmVzcyAxOTguNTEuMTAwLjc'] }),
});
export const LockLifted = NamedObject('LockLifted', { key: Type.String(), lifted: Type.Literal(true) });

export const ActivityQuery = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 }),
  search: Type.String({ maxLength: 255, default: '', description: 'Part of a line, not case-sensitive' }),
  show_all: Type.String({
    enum: ['true', 'false', ''],
    default: '',
    description: 'true returns all lines on one page',
  }),
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

export const Languages = NamedObject('Languages', {
  locales: Type.Array(Type.String(), { description: 'Installed on the server, en first' }),
  current: Type.String(),
});
export type Languages = Static<typeof Languages>;
export const LanguageBody = NamedObject('LanguageChange', { locale: Type.String({ maxLength: 35 }) });

const NO_CONTROL = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$';
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

export const LoginHistory = Type.Array(
  NamedObject('LoginRecord', {
    country_code: Type.String({ description: 'ISO 3166-1 alpha-2; empty for private and unknown addresses' }),
    ip: Type.String(),
    login_time: Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' }),
    login_at: Type.String({ format: 'date-time', description: 'The same, RFC 3339' }),
  }),
  { description: 'The last 20, newest first' },
);
export type LoginHistory = Static<typeof LoginHistory>;
