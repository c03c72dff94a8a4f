import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const Counted = Type.Object({ backups: Type.Integer() });
const Failed = Type.Object({ reason: Type.String() });

/** The events that this plugin records. */
export const events = {
  'backup.copied': { text: 'Backups were copied to another place', data: Counted },
  'backup.copy_failed': { text: 'Backups could not be copied to another place', data: Failed },
  'backup.fetched': { text: 'Backups were fetched from another place', data: Counted },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
