import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const Of = (unit: string) =>
  Type.Object({
    percent: Type.Integer({ description: 'The level that is reached' }),
    used: Type.Integer({ description: unit }),
    limit: Type.Integer({ description: unit }),
  });

/** The events that this plugin records. */
export const events = {
  'quota.disk_nearly_full': { text: 'An account comes near the limit of its disk space', data: Of('KiB') },
  'quota.inodes_nearly_full': {
    text: 'An account comes near the limit of its files and folders',
    data: Of('Files and folders'),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
