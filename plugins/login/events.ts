import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const By = Type.Object({
  by: Type.Union([Type.String(), Type.Null()], { description: 'The administrator; null for the command line' }),
});

/** The events that this plugin records. */
export const events = {
  login: { text: 'Somebody logged in' },
  'login.failed': { text: 'A login failed' },
  'account.unlocked': { text: 'The failed logins of an account were forgotten', data: By },
  'lock.lifted': {
    text: 'An administrator had the failed logins of a network forgotten',
    data: Type.Object({
      network: Type.Union([Type.String(), Type.Null()], { description: 'null: of a name that no account has' }),
    }),
  },
  reauthenticated: { text: 'An administrator proved password and second factor again' },
  'twofa.on': { text: 'Two-factor authentication was turned on' },
  'twofa.off': { text: 'Two-factor authentication was turned off' },
  'twofa.reset': { text: 'Two-factor authentication of an account was reset', data: By },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
