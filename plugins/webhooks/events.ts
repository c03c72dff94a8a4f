import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const OfEndpoint = Type.Object({ endpoint: Type.String() });

/** The events that this plugin records. */
export const events = {
  'webhook.requeued': {
    text: 'An operator had deliveries to an endpoint repeated',
    data: Type.Object({
      endpoint: Type.String(),
      event_id: Type.Union([Type.Integer(), Type.Null()], { description: 'null: all that were waiting' }),
    }),
  },
  'webhook.added': { text: 'A webhook was added in the console', data: OfEndpoint },
  'webhook.changed': { text: 'A webhook of the console was changed', data: OfEndpoint },
  'webhook.secret_renewed': { text: 'A webhook of the console got a new secret', data: OfEndpoint },
  'webhook.removed': { text: 'A webhook was removed in the console', data: OfEndpoint },
} as const satisfies EventTable;

/** Those after which other endpoints get events, or with other secrets. */
export const CHANGES: ReadonlySet<string> = new Set(Object.keys(events).filter((type) => type !== 'webhook.requeued'));

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
