import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

/** The events that this plugin records. */
export const events = {
  'webhook.requeued': {
    text: 'An operator had deliveries to an endpoint repeated',
    data: Type.Object({
      endpoint: Type.String(),
      event_id: Type.Union([Type.Integer(), Type.Null()], { description: 'null: all that were waiting' }),
    }),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
