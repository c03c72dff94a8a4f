import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

/** The events that this plugin records. */
export const events = {
  'varnish.site_set': {
    text: 'Varnish was put before a site, or taken away',
    data: Type.Object({ domain_url: Type.String(), cached: Type.Boolean() }),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
