import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

/** The events that this plugin records. */
export const events = {
  'account.exported': {
    text: 'An account was written to an archive',
    data: Type.Object({ size_bytes: Type.Integer({ description: 'Of the archive' }) }),
  },
  'account.imported': {
    text: 'An account came from an archive',
    data: Type.Object({
      exported_as: Type.String({ description: 'Its name where the archive was written' }),
      exported_at: Type.String({ description: 'RFC 3339, UTC' }),
    }),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
