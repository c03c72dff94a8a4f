import { Type } from '../../schema.ts';
import type { EventData, EventTable } from './event-types.ts';

/** Events of the server itself. */
export const serverEvents = {
  'configuration.reloaded': {
    text: 'The server reads a changed configuration from now on',
    data: Type.Object({
      lacks: Type.Array(Type.String(), { description: 'The plugins that lack something from outside, and what' }),
    }),
  },
  'configuration.refused': {
    text: 'The server refused a changed configuration, and keeps the old one',
    data: Type.Object({ reason: Type.String() }),
  },
} as const satisfies EventTable;

declare module './event-types.ts' {
  interface EventTypes extends EventData<typeof serverEvents> {}
}
