import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const Checked = Type.Object({
  sample_mib: Type.Integer({ description: 'MiB of their content that were read at most' }),
  restored_files: Type.Integer({ description: 'Files of the newest one that were restored, for the check only' }),
  compared_files: Type.Integer({ description: 'Of these, those that have not changed since, and are the same' }),
});
const Failed = Type.Object({ reason: Type.String() });

/** The events that this plugin records. */
export const events = {
  'backup.checked': { text: 'Backups were checked', data: Checked },
  'backup.check_failed': { text: 'Backups could not be read when they were checked', data: Failed },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
