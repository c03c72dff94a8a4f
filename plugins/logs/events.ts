import { noticeData } from '../../kernel/areas/limit-notices.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

/** The events that this plugin records. */
export const events = {
  'logs.traffic_nearly_used': {
    text: 'An account comes near the limit of its traffic in a month, or reaches it',
    data: noticeData('MiB'),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
