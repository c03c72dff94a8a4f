import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

/** The events that this plugin records. */
export const events = {
  'mcp.called': {
    text: 'An agent called a tool',
    data: Type.Object({
      tool: Type.String(),
      token_id: Type.Union([Type.String(), Type.Null()], { description: 'The API token; null for a session' }),
    }),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
