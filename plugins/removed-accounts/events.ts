import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

/** The events that this plugin records. */
export const events = {
  'account.restored': {
    text: 'A removed account came back from a backup',
    data: Type.Object({
      restored_from: Type.String({ description: 'The removed account' }),
      made_at: Type.String({ description: 'When the backup was made, RFC 3339, UTC' }),
      left_out: Type.Integer({ description: 'How much could not be restored' }),
    }),
  },
  'account.backups_removed': {
    text: 'The backups of a removed account were removed for good',
    data: Type.Object({ removed_account: Type.String() }),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
