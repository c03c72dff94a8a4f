import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const OfLink = Type.Object({ domain_url: Type.String() });

/** The events that this plugin records; none has the name, which opens the site. */
export const events = {
  'temporary_link.made': { text: 'A temporary link to a site was made', data: OfLink },
  'temporary_link.removed': { text: 'A temporary link to a site was removed', data: OfLink },
  'temporary_link.expired': { text: 'A temporary link to a site expired', data: OfLink },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
