import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

/** The events that this plugin records. */
export const events = {
  'proxied_paths.set': {
    text: 'The paths of a site that containers answer for were changed',
    data: Type.Object({ domain_url: Type.String(), paths: Type.Integer() }),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
