import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const ByAdministrator = Type.Object({ by: Type.String({ description: 'The administrator' }) });

/** The events that this plugin records. */
export const events = {
  'login_link.made': { text: 'An administrator made a link that opens the account', data: ByAdministrator },
  'login_link.used': { text: 'The link of an administrator opened the account', data: ByAdministrator },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
