import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const OfSession = Type.Object({ domain_url: Type.String() });

/** The events that this plugin records. */
export const events = {
  'phpmyadmin.opened': { text: 'phpMyAdmin was opened', data: OfSession },
  'phpmyadmin.closed': { text: 'A session of phpMyAdmin was ended', data: OfSession },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
