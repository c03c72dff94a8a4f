import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const ends = { from: Type.String(), to: Type.String() };

/** The events that this plugin records. */
export const events = {
  'account.moved': {
    text: 'An account was moved to another node',
    data: Type.Object({ ...ends, read_only_seconds: Type.Number({ description: 'How long changes were refused' }) }),
  },
  'account.move_failed': {
    text: 'An account stayed where it was, because its move to another node failed',
    data: Type.Object({ ...ends, reason: Type.String() }),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
