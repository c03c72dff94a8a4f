import { Type, type Static } from '../../kernel/schema.ts';

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
const Password = Type.String({ maxLength: 1024 });
const Code = Type.String({ maxLength: 256, description: 'Six digits from the authenticator app, or a recovery code' });
const CodeIfAny = Type.Optional(Type.Union([Code, Type.Null()], { description: 'null is like absent' }));

export const LoginBody = Type.Object({
  username: Type.String({ maxLength: 1024 }),
  password: Password,
  twofa_code: CodeIfAny,
});
const UserId = Type.Integer({ description: 'Number of the account' });
export const LoginReply = Type.Object({
  token: Type.String({
    description: 'Bearer token (JWT); empty for a page of this address, which has it in a cookie instead',
  }),
  user_id: UserId,
  expires_in: Type.Integer({ description: 'Seconds' }),
});
export const TwofaRequired = Type.Object(
  { twofa_required: Type.Literal(true), user_id: UserId },
  { additionalProperties: false, description: 'The password is correct; a code is required' },
);

export const ReauthenticateBody = Type.Object({ password: Password, twofa_code: CodeIfAny });
export const Reauthenticated = Type.Object({
  reauthenticated: Type.Literal(true),
  expires_in: Type.Integer({
    description: 'Seconds for which it counts, in this session only; a change of a credential ends it',
  }),
});

export const LogoutReply = Type.Object({ logged_out: Type.Literal(true) });

const Time = Type.String({ description: 'RFC 3339, UTC' });
const SessionView = Type.Object({
  id: Type.String(),
  created_at: Time,
  expires_at: Time,
  ip: Type.String(),
  user_agent: Type.String(),
  current: Type.Boolean({ description: 'Whether it is the session of this request' }),
});
export type SessionView = Static<typeof SessionView>;
export const SessionsQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 100 }),
  cursor: Type.String({ maxLength: 64, default: '', description: 'next_cursor of the previous page' }),
});
export type SessionsQuery = Static<typeof SessionsQuery>;
export const SessionsReply = Type.Object({
  sessions: Type.Array(SessionView, { description: 'Newest first' }),
  next_cursor: Type.Union([Type.String(), Type.Null()], {
    description: 'Cursor of the next page; null on the last one',
  }),
});
export const SessionParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
export const SessionEnded = Type.Object({ id: Type.String(), ended: Type.Literal(true) });

export const PasswordBody = Type.Object({
  password: Password,
  new_password: Type.String({ minLength: 8, maxLength: 128 }),
});
export const PasswordReply = Type.Object({ changed: Type.Literal(true) });

export const TwofaStatus = Type.Object({
  enabled: Type.Boolean(),
  method: Type.String({ description: 'authenticator_app; empty while it is off' }),
  code: Type.Literal('', { description: 'Always empty: the server never discloses a code' }),
});
export const TwofaSetupBody = Type.Object({ password: Password });
export const TwofaSetup = Type.Object({
  secret: Type.String({ description: 'Base32, for apps that cannot scan the QR code' }),
  otpauth_url: Type.String(),
  qr: Type.String({ description: 'otpauth_url as a QR code: data URL of an SVG' }),
});
export type TwofaSetup = Static<typeof TwofaSetup>;
export const TwofaConfirmBody = Type.Object({ code: Code });
export const TwofaConfirmed = Type.Object({
  enabled: Type.Literal(true),
  recovery_codes: Type.Array(Type.String(), { description: 'Shown only once; each can replace one code' }),
});
export const TwofaOffBody = Type.Object({ password: Password, code: Code });
export const TwofaOff = Type.Object({ enabled: Type.Literal(false) });
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
export const Unlocked = Type.Object({ username: Type.String(), unlocked: Type.Literal(true) });
export const TwofaReset = Type.Object({ username: Type.String(), enabled: Type.Literal(false) });

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
export const ActivityPage = Type.Object({
  log_content: Type.Array(Type.String(), { description: 'Newest first' }),
  current_page: Type.Integer(),
  items_per_page: Type.Integer(),
  total_pages: Type.Integer({ description: '1 where there are no lines' }),
  total_lines: Type.Integer(),
  search_term: Type.String(),
  show_all: Type.Boolean(),
});
export type ActivityPage = Static<typeof ActivityPage>;

export const Languages = Type.Object({
  locales: Type.Array(Type.String(), { description: 'Installed on the server, en first' }),
  current: Type.String(),
});
export type Languages = Static<typeof Languages>;
export const LanguageBody = Type.Object({ locale: Type.String({ maxLength: 35 }) });

const NO_CONTROL = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$';
const LINK = 'An http or https URL, or an absolute path';
export const Favorite = Type.Object({ link: Type.String(), title: Type.String() });
export type Favorite = Static<typeof Favorite>;
export const Favorites = Type.Array(Favorite);
export const FavoriteBody = Type.Object({
  link: Type.String({ minLength: 1, maxLength: 2048, pattern: NO_CONTROL, description: LINK }),
  title: Type.String({ minLength: 1, maxLength: 255, pattern: NO_CONTROL }),
});
export const FavoriteLink = Type.Object({ link: Type.String({ maxLength: 2048, description: LINK }) });

export const LoginHistory = Type.Array(
  Type.Object({
    country_code: Type.String({ description: 'ISO 3166-1 alpha-2; empty for private and unknown addresses' }),
    ip: Type.String(),
    login_time: Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' }),
  }),
  { description: 'The last 20, newest first' },
);
export type LoginHistory = Static<typeof LoginHistory>;
