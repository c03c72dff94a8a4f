import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const members = { container: Type.String(), container_id: Type.String() };

/** The events that this plugin records. */
export const events = {
  'container.shell_opened': { text: 'A shell in a container was opened', data: Type.Object(members) },
  'container.shell_closed': {
    text: 'A shell in a container was closed',
    data: Type.Object({ ...members, seconds: Type.Integer() }),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
