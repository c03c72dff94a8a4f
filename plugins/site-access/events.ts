import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const OfDomain = Type.Object({ domain_url: Type.String() });
const OfUser = Type.Object({ domain_url: Type.String(), path: Type.String(), name: Type.String() });

/** The events that this plugin records. */
export const events = {
  'folder_user.set': { text: 'A user of a protected folder was added, or given another password', data: OfUser },
  'folder_user.removed': { text: 'A user of a protected folder was removed', data: OfUser },
  'blocked_addresses.set': { text: 'The blocked addresses of a site were changed', data: OfDomain },
  'error_pages.set': { text: 'The error pages of a site were changed', data: OfDomain },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
