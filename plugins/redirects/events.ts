import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const OfRedirect = Type.Object({
  redirect_id: Type.Integer(),
  domain_url: Type.String(),
  path: Type.String(),
  target: Type.String(),
});

/** The events that this plugin records. */
export const events = {
  'redirect.added': { text: 'A redirect was added', data: OfRedirect },
  'redirect.removed': { text: 'A redirect was removed', data: OfRedirect },
  'redirect.main_address_set': {
    text: 'The main address of a site was chosen',
    data: Type.Object({ domain_url: Type.String(), main_address: Type.Union([Type.String(), Type.Null()]) }),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
