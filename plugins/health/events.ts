import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

/** The events that this plugin records. */
export const events = {
  'disk.low': {
    text: 'The disk with the data folder is nearly full',
    data: Type.Object({ free_bytes: Type.Integer(), total_bytes: Type.Integer() }),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
