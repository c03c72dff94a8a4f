import { Type } from '../../schema.ts';
import type { EventData, EventTable } from '../../store/events/event-types.ts';

const Text = Type.String();
const TextOrNull = Type.Union([Text, Type.Null()]);
const OfAccount = Type.Object({ account_id: Type.Integer() });
const OfPlan = Type.Object({ plan: Text });
const OfToken = { id: Text, name: Text };

/** Events of accounts, plans and sessions. */
export const accountEvents = {
  'account.created': { text: 'An account was created' },
  'account.changed': {
    text: 'The plan, the e-mail address or the language of an account changed',
    data: Type.Object({
      plan: Type.Optional(TextOrNull),
      email: Type.Optional(TextOrNull),
      locale: Type.Optional(TextOrNull),
    }),
  },
  'account.suspended': { text: 'An account was suspended' },
  'account.unsuspended': { text: 'The suspension of an account was lifted' },
  'account.removed': { text: 'An account was removed', data: OfAccount },
  'account.purged': { text: 'What a removed account left was removed, and its name is free', data: OfAccount },
  'password.changed': { text: 'The password of an account changed' },
  'feature.toggled': {
    text: 'A feature was granted or revoked',
    data: Type.Object({
      feature: Text,
      on: Type.Union([Type.Boolean(), Type.Null()], { description: 'null if the plan decides again' }),
      plan: Type.Optional(Type.String({ description: 'The plan; without it, the account has the change alone' })),
    }),
  },
  'plan.created': { text: 'A plan was created', data: OfPlan },
  'plan.changed': {
    text: 'Limits of a plan changed',
    data: Type.Object({
      plan: Text,
      description: Type.Optional(Text),
      limits: Type.Optional(Type.Record(Text, Type.Number(), { description: 'Those that were set' })),
    }),
  },
  'plan.removed': { text: 'A plan was removed', data: OfPlan },
  'token.made': {
    text: 'An API token was made',
    data: Type.Object({ ...OfToken, scopes: Type.Array(Text), expires_at: Text }),
  },
  'token.ended': {
    text: 'An API token was ended',
    data: Type.Object({
      ...OfToken,
      reason: Type.Union([Type.Literal('removed'), Type.Literal('suspended'), Type.Literal('feature')], {
        description: 'feature: the account lost all features that the token was for',
      }),
    }),
  },
  logout: { text: 'Somebody logged out' },
  'session.ended': {
    text: 'Sessions of an account were ended',
    data: Type.Object({ count: Type.Integer({ description: 'The number of sessions that one action ended' }) }),
  },
} as const satisfies EventTable;

declare module '../../store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof accountEvents> {}
}
