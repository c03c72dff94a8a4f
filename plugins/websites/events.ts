import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

/** The events that this plugin records. */
export const events = {
  'website.login_renewed': {
    text: 'The login of a website to its database was renewed',
    data: Type.Object({ site: Type.String(), database: Type.String(), user: Type.String() }),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
