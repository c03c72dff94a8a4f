import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const OfDomain = Type.Object({ domain_id: Type.Integer(), domain_url: Type.String() });

/** The events that this plugin records. */
export const events = {
  'domain.added': { text: 'A domain was added', data: OfDomain },
  'domain.removed': { text: 'A domain was removed', data: OfDomain },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
