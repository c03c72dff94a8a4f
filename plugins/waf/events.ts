import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';
import { MODES } from './site-waf.ts';

/** The events that this plugin records. */
export const events = {
  'waf.set': {
    text: 'The firewall of a site was changed',
    data: Type.Object({ domain_url: Type.String(), mode: Type.String({ enum: [...MODES] }) }),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
