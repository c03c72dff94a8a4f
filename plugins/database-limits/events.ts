import { noticeData } from '../../kernel/areas/limit-notices.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

/** The events that this plugin records. */
export const events = {
  'databases.nearly_full': {
    text: 'The databases of an account come near the size of its plan',
    data: noticeData('MiB'),
  },
  'postgresql.nearly_full': {
    text: 'The PostgreSQL databases of an account come near the size of its plan',
    data: noticeData('MiB'),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
