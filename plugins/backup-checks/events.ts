import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const Checked = Type.Object({
  sample_mib: Type.Integer({ description: 'MiB of their content that were read at most' }),
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
