import { PlanLimits } from '../../kernel/plugin-api/plan-limits.ts';
import { Type, type Static } from '../../kernel/schema.ts';

const closed = { additionalProperties: false } as const;
const Name = Type.String({ minLength: 1, maxLength: 64 });
const Time = Type.String({ description: 'RFC 3339, UTC' });
const NextCursor = Type.Union([Type.String(), Type.Null()], {
  description: 'Cursor of the next page; null on the last one',
});
const Password = Type.String({ minLength: 8, maxLength: 128 });
const Email = Type.String({
  maxLength: 254,
  pattern: '^$|^[!-?A-~]+@[!-?A-~]+$',
  description: 'Empty when not set',
});
const Features = Type.Array(Type.String(), { description: 'Names from GET /api/features' });

export const PageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 }),
  cursor: Type.String({ maxLength: 64, default: '', description: 'next_cursor of the previous page' }),
});
const Role = Type.Union([Type.Literal('user'), Type.Literal('admin')]);
export const AccountsQuery = Type.Object({
  ...PageQuery.properties,
  q: Type.Optional(
    Type.String({ maxLength: 254, description: 'Part of the user name or of the e-mail address, in any case' }),
  ),
  role: Type.Optional(Role),
  plan: Type.Optional(Type.String({ maxLength: 64 })),
  suspended: Type.Optional(Type.Boolean()),
});
const ofAccount = { username: { ...Name, examples: ['jane'] } };
const ofFeature = { feature: { ...Name, examples: ['domains'] } };
const ofPlan = { name: { ...Name, examples: ['starter'] } };
export const AccountParams = Type.Object(ofAccount);
export const SessionParams = Type.Object({ ...ofAccount, id: Name });
export const AccountFeatureParams = Type.Object({ ...ofAccount, ...ofFeature });
export const PlanParams = Type.Object(ofPlan);
export const PlanFeatureParams = Type.Object({ ...ofPlan, ...ofFeature });
export const InheritQuery = Type.Object({
  inherit: Type.Boolean({ default: false, description: 'true removes the override, so that the plan decides' }),
});

const PlanOrNone = Type.Union([Name, Type.Null()], { description: 'null: no plan, and so no features' });

export const AccountBody = Type.Object(
  {
    username: Name,
    password: Password,
    role: Type.Union([Type.Literal('user'), Type.Literal('admin')], { default: 'user' }),
    plan: Type.Optional(PlanOrNone),
    email: Type.Optional(Email),
  },
  { ...closed, examples: [{ username: 'jane', password: 'NEW_PASSWORD', plan: 'basic' }] },
);
export const AccountChange = Type.Object(
  { plan: Type.Optional(PlanOrNone), email: Type.Optional(Email), locale: Type.Optional(Name) },
  { ...closed, minProperties: 1, examples: [{ email: 'jane@example.com' }] },
);
export const PasswordBody = Type.Object(
  { password: Password },
  { ...closed, examples: [{ password: 'NEW_PASSWORD' }] },
);

export const AccountView = Type.Object({
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
});
export type AccountView = Static<typeof AccountView>;
export const AccountPage = Type.Object({
  accounts: Type.Array(AccountView),
  total: Type.Integer({ description: 'Number of accounts that the filters leave, on all pages' }),
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
export const PurgeReport = Type.Object({
  state: Type.String({
    enum: ['complete', 'incomplete', 'running'],
    description:
      'complete: the name is free; incomplete: something is left; running: it goes on, ask again for the report',
  }),
  parts: Type.Array(
    Type.Object({
      plugin: Type.String({ description: 'kernel for files' }),
      what: Type.String({ description: 'e.g. databases' }),
      removed: Type.Integer({ description: 'How many were removed' }),
      problem: Type.Union([Type.String(), Type.Null()], { description: 'Why some are left' }),
    }),
  ),
});
export type PurgeReport = Static<typeof PurgeReport>;
export const AccountRemoved = Type.Object({
  username: Type.String(),
  deleted: Type.Literal(true),
  purge: Type.Optional(PurgeReport),
});
export const PasswordChanged = Type.Object({ username: Type.String(), changed: Type.Literal(true) });
export const SessionList = Type.Object({
  sessions: Type.Array(
    Type.Object({
      id: Type.String(),
      created_at: Time,
      expires_at: Time,
      ip: Type.String(),
      user_agent: Type.String(),
    }),
  ),
  next_cursor: NextCursor,
});
export const SessionsEnded = Type.Object({ ended: Type.Integer({ description: 'Number of sessions' }) });

export const PlanBody = Type.Object(
  { ...Type.Partial(PlanLimits).properties, name: Name, features: Type.Optional(Features) },
  {
    ...closed,
    description: 'Limits that are left out are 0 = unlimited, except names_limit, which is 500',
    examples: [{ name: 'starter', domains_limit: 2, features: ['domains'] }],
  },
);
export const PlanChange = Type.Partial(PlanLimits, {
  ...closed,
  minProperties: 1,
  examples: [{ domains_limit: 3 }],
});
export const PlanView = Type.Object({ name: Type.String(), ...PlanLimits.properties, features: Features });
export type PlanView = Static<typeof PlanView>;
export const PlanPage = Type.Object({ plans: Type.Array(PlanView), next_cursor: NextCursor });
export const PlanRemoved = Type.Object({ name: Type.String(), deleted: Type.Literal(true) });

const State = Type.String({
  enum: ['ready', 'degraded', 'unavailable', 'off'],
  description:
    'degraded: it runs, but lacked something outside at the last check, some seconds ago; unavailable: its routes answer 503',
});
const Nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
export const FeatureList = Type.Object({
  features: Type.Array(
    Type.Object({
      name: Type.String(),
      title: Type.String(),
      description: Type.String(),
      link: Type.String(),
      plugin: Nullable('Plugin that owns the feature; null for a feature of the panel itself'),
      state: Type.Union([State, Type.Null()], { description: 'State of that plugin' }),
    }),
  ),
});
export const PluginList = Type.Object({
  plugins: Type.Array(
    Type.Object({
      name: Type.String(),
      state: State,
      features: Type.Array(Type.String()),
      provides: Type.Array(Type.String(), { description: 'Extension points that it provides' }),
      reason: Nullable('Why it is not ready'),
      remedy: Nullable('What to install or set'),
    }),
  ),
});
