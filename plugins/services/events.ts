import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const OfService = Type.Object({ service: Type.String(), title: Type.String({ description: 'For people' }) });

/** The events that this plugin records. */
export const events = {
  'service.switched_on': { text: 'A service was switched on', data: OfService },
  'service.switched_off': { text: 'A service was switched off', data: OfService },
  'service.flushed': { text: 'A service was emptied', data: OfService },
  'service.restarted': { text: 'A service was restarted', data: OfService },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
