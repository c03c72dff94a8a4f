import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const OfNode = Type.Object({ node: Type.String() });

/** The events that this plugin records. */
export const events = {
  'fleet.begun': { text: 'A node became the first one of a fleet', data: OfNode },
  'fleet.invited': {
    text: 'An invitation to the fleet was made',
    data: Type.Object({
      node: Type.Union([Type.String(), Type.Null()], { description: 'The name that the node must have; null = any' }),
    }),
  },
  'fleet.joined': { text: 'A node joined the fleet', data: OfNode },
  'fleet.drained': { text: 'A node was given no new accounts any more', data: OfNode },
  'fleet.undrained': { text: 'A drained node was given new accounts again', data: OfNode },
  'fleet.left': { text: 'A node left the fleet', data: OfNode },
  'fleet.removed': {
    text: 'A node that was gone was taken out of the fleet',
    data: Type.Object({
      node: Type.String(),
      accounts: Type.Integer({ description: 'Those that had their home there' }),
    }),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
