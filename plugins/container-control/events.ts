import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const OfContainer = Type.Object({ container: Type.String(), container_id: Type.String() });

/** The events that this plugin records. */
export const events = {
  'container.started': { text: 'A container was started', data: OfContainer },
  'container.stopped': { text: 'A container was stopped', data: OfContainer },
  'container.restarted': { text: 'A container was restarted', data: OfContainer },
  'container.limited': {
    text: 'The limits of a container were changed',
    data: Type.Object({ container: Type.String(), container_id: Type.String(), limits: Type.String() }),
  },
  'container.removed': { text: 'A container was removed', data: OfContainer },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
