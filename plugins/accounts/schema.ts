import { featureWarning } from '../../kernel/contract/node-info.ts';
import { NodeName } from '../../kernel/contract/forwarding.ts';
import { AccountFigures, FIGURES } from '../../kernel/contract/points/account-report.ts';
import { NextCursor } from '../../kernel/kit/position.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const closed = { additionalProperties: false } as const;
const Name = Type.String({ minLength: 1, maxLength: 64 });
const Time = Type.String({ format: 'date-time', description: 'RFC 3339, UTC' });

export const PageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 }),
  cursor: Type.String({ maxLength: 64, default: '', description: 'next_cursor of the previous page' }),
});

const ofFeature = { feature: { ...Name, examples: ['domains'] } };

const Password = Type.String({ minLength: 8, maxLength: 128 });
const Email = Type.String({
  maxLength: 254,
  pattern: '^$|^[!-?A-~]+@[!-?A-~]+$',
  description: 'Empty when not set',
});
const Role = Type.Union([Type.Literal('user'), Type.Literal('admin')]);
const SORTS = ['username', 'created', 'plan', 'email', ...FIGURES].flatMap((each) => [each, `-${each}`]);

export const AccountsQuery = Type.Object({
  limit: PageQuery.properties.limit,
  cursor: Type.String({
    maxLength: 1024,
    default: '',
    description: 'next_cursor of the previous page, in the same order',
  }),
  q: Type.Optional(
    Type.String({ maxLength: 254, description: 'Part of the user name or of the e-mail address, in any case' }),
  ),
  role: Type.Optional(Role),
  plan: Type.Optional(Type.String({ maxLength: 64 })),
  suspended: Type.Optional(Type.Boolean()),
  node: Type.Optional(NodeName('Only customers whose home is this node of a fleet')),
  over: Type.Boolean({
    default: false,
    description:
      'true: only customers who have more than they may, or whose usage is not known. Files may have to be measured, so a ' +
      'page may have fewer accounts than its limit, or none, before next_cursor is null',
  }),
  usage: Type.Boolean({
    default: false,
    description: 'true: with the usage of customers of the node that answers, as far as it is known',
  }),
  sort: Type.String({
    enum: SORTS,
    default: 'username',
    description:
      'Ascending, or descending with a minus. Figures are sampled every ten seconds while somebody asks; what is not known ' +
      'counts as less than nothing, and while figures change, an account may be on two pages or on none',
  }),
});

const ofAccount = { username: { ...Name, examples: ['jane'] } };
export const AccountParams = Type.Object(ofAccount);
export const SessionParams = Type.Object({ ...ofAccount, id: Name });
export const AccountFeatureParams = Type.Object({ ...ofAccount, ...ofFeature });
export const InheritQuery = Type.Object({
  inherit: Type.Boolean({ default: false, description: 'true removes the override, so that the plan decides' }),
});

const PlanOrNone = Type.Union([Name, Type.Null()], { description: 'null: no plan, and so no features' });
export const AccountBody = NamedObject(
  'NewAccount',
  {
    username: Name,
    password: Password,
    role: Type.Union([Type.Literal('user'), Type.Literal('admin')], { default: 'user' }),
    plan: Type.Optional(PlanOrNone),
    email: Type.Optional(Email),
    node: Type.Optional(
      NodeName('Where a customer will live: the node of a fleet that has the files, databases and containers'),
    ),
  },
  { ...closed, examples: [{ username: 'jane', password: 'NEW_PASSWORD', plan: 'basic' }] },
);
export const AccountChange = NamedObject(
  'AccountChange',
  { plan: Type.Optional(PlanOrNone), email: Type.Optional(Email), locale: Type.Optional(Name) },
  { ...closed, minProperties: 1, examples: [{ email: 'jane@example.com' }] },
);
export const PasswordBody = NamedObject(
  'NewPassword',
  { password: Password },
  { ...closed, examples: [{ password: 'NEW_PASSWORD' }] },
);

export const AccountView = NamedObject('Account', {
  user_id: Type.Integer(),
  username: Type.String(),
  role: Type.String(),
  email: Type.String(),
  locale: Type.String(),
  plan: Type.Union([Type.String(), Type.Null()]),
  features: Type.Array(Type.String(), {
    description: "Effective features: those of the plan, plus and minus the account's overrides; none without a plan",
  }),
  overrides: Type.Record(Type.String(), Type.Boolean(), {
    description: 'Features granted (true) or revoked (false) independent of the plan',
  }),
  suspended: Type.Boolean(),
  created_at: Time,
  node: Type.Union([Type.String(), Type.Null()], {
    description: 'The node of a fleet where a customer lives; null for administrators, and for a server by itself',
  }),
});
export type AccountView = Static<typeof AccountView>;
export const AccountGranted = NamedObject('AccountGranted', { ...AccountView.properties, ...featureWarning });
export const AccountPage = NamedObject('AccountPage', {
  accounts: Type.Array(
    NamedObject('ListedAccount', { ...AccountView.properties, usage: Type.Optional(AccountFigures) }),
  ),
  total: Type.Integer({
    description:
      'Number of accounts that the filters leave, on all pages; `over` is not counted. From 10,000 on, it may be ten seconds old',
  }),
  next_cursor: NextCursor,
});
export const PurgeQuery = Type.Object({
  purge: Type.Boolean({
    default: false,
    description:
      'true also removes its files, databases, containers and virtual hosts, and frees its name; for a removed account ' +
      'too, again after a failure',
  }),
});

export const PurgeReport = NamedObject('PurgeReport', {
  state: Type.String({
    enum: ['complete', 'incomplete', 'running'],
    description:
      'complete: the name is free; incomplete: something is left; running: it goes on, ask again for the report',
  }),
  parts: Type.Array(
    NamedObject('PurgedPart', {
      plugin: Type.String({ description: 'kernel for files' }),
      what: Type.String({ description: 'e.g. databases' }),
      removed: Type.Integer({ description: 'How many were removed' }),
      problem: Type.Union([Type.String(), Type.Null()], { description: 'Why some are left' }),
    }),
  ),
});
export type PurgeReport = Static<typeof PurgeReport>;
export const AccountRemoved = NamedObject('AccountRemoved', {
  username: Type.String(),
  deleted: Type.Literal(true),
  kept: Type.Array(Type.String(), {
    maxItems: 100,
    description: 'What stays of it, and for how long: backups; empty for one that was removed before',
  }),
  purge: Type.Optional(PurgeReport),
});
export const PasswordChanged = NamedObject('AccountPasswordChanged', {
  username: Type.String(),
  changed: Type.Literal(true),
});
export const SessionList = NamedObject('AccountSessionPage', {
  sessions: Type.Array(
    NamedObject('AccountSession', {
      id: Type.String(),
      created_at: Time,
      expires_at: Time,
      ip: Type.String(),
      user_agent: Type.String(),
      opened_by: Type.Union([Type.String(), Type.Null()], {
        description: 'The administrator who opened it with a login link; null where the account itself logged in',
      }),
    }),
  ),
  next_cursor: NextCursor,
});
export const SessionsEnded = NamedObject('SessionsEnded', {
  ended: Type.Integer({ description: 'Number of sessions' }),
});
export const UsageList = NamedObject('AccountUsage', {
  usage: Type.Array(
    NamedObject('ResourceUsage', {
      resource: Type.String({ description: 'What is counted, with its unit: disk_kib' }),
      used: Type.Number(),
      limit: Type.Number({ description: '0 = unlimited' }),
      over: Type.Boolean({ description: 'Whether the account has more than it may, or no room left' }),
    }),
    { maxItems: 100 },
  ),
  problems: Type.Array(Type.String(), { maxItems: 100, description: 'Why something is not known' }),
});
