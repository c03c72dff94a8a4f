import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const OfDomain = Type.Object({ domain_url: Type.String() });

/** The events that this plugin records. */
export const events = {
  'php.version_set': {
    text: 'A domain got another version of PHP',
    data: Type.Object({ ...OfDomain.properties, version: Type.String({ description: 'Empty for none' }) }),
  },
  'php.options_set': { text: 'A domain got other options of PHP', data: OfDomain },
  'php.ini_set': { text: 'A domain got another php.ini', data: OfDomain },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
