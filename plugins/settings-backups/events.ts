import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const Restored = Type.Object({
  made_at: Type.String({ format: 'date-time' }),
  left_out: Type.Integer(),
  not_restored: Type.Array(Type.String(), { description: 'The first of what could not be put back, and why' }),
});
const Failed = Type.Object({ reason: Type.String() });

/** The events that this plugin records. */
export const events = {
  'backup.settings_missing': { text: 'A backup was made without the settings', data: Failed },
  'backup.settings_restored': { text: 'Settings and domains were restored from a backup', data: Restored },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
