import { noticeData } from '../../kernel/areas/limit-notices.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

/** The events that this plugin records. */
export const events = {
  'quota.disk_nearly_full': { text: 'An account comes near the limit of its disk space', data: noticeData('KiB') },
  'quota.inodes_nearly_full': {
    text: 'An account comes near the limit of its files and folders',
    data: noticeData('Files and folders'),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
