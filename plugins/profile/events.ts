import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';
import { Favorite } from './schema.ts';

/** The events that this plugin records. */
export const events = {
  'favorite.put': { text: 'A favorite was added, moved, or its title changed', data: Favorite },
  'favorite.removed': { text: 'A favorite was removed', data: Type.Object({ link: Type.String() }) },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
