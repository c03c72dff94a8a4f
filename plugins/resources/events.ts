import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const Count = (description: string) => Type.Integer({ description });
const Traffic = Type.Object({ count: Count('Percent of the limit'), limit: Count('MiB each second') });

/** The events that this plugin records, each at most once an hour for an account. */
export const events = {
  'resources.memory_exhausted': {
    text: 'Processes of an account were ended because it used all its memory',
    data: Type.Object({ count: Count('Processes that were ended'), limit: Count('MiB') }),
  },
  'resources.processes_exhausted': {
    text: 'An account could start no more processes',
    data: Type.Object({ count: Count('Starts that were refused'), limit: Count('Processes and threads') }),
  },
  'resources.processor_exhausted': {
    text: 'An account used all its processor time',
    data: Type.Object({
      count: Count('Percent of the time in which it had to wait'),
      limit: Count('Percent of one processor'),
    }),
  },
  'resources.reading_exhausted': {
    text: 'An account read from the disk as much as it may',
    data: Traffic,
  },
  'resources.writing_exhausted': {
    text: 'An account wrote to the disk as much as it may',
    data: Traffic,
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
