import type { Host } from '../../kernel/contract/plugin.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable, Occurrence } from '../../kernel/store/events/event-types.ts';

const OfBackup = Type.Object({ made_at: Type.String({ format: 'date-time' }) });
const Made = Type.Object({ ...OfBackup.properties, files: Type.Integer(), databases: Type.Integer() });
const Missing = Type.Object({ ...OfBackup.properties, databases: Type.Integer(), reason: Type.String() });
const Failed = Type.Object({ reason: Type.String() });
const Restored = Type.Object({ made_at: Type.String({ format: 'date-time' }), path: Type.String() });
const Scheduled = Type.Object({ schedule: Type.String({ enum: ['plan', 'off', 'daily', 'weekly'] }) });

/** The events that this plugin records. */
export const events = {
  'backup.made': { text: 'A backup was made', data: Made },
  'backup.databases_missing': { text: 'A backup does not have all databases', data: Missing },
  'backup.failed': { text: 'A backup was not made', data: Failed },
  'backup.lost': { text: 'A backup is not in the repository any more', data: OfBackup },
  'backup.removed': { text: 'A backup was removed', data: OfBackup },
  'backup.restored': { text: 'Files or a database were restored from a backup', data: Restored },
  'backup.schedule_changed': { text: 'The schedule of backups was changed', data: Scheduled },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}

type Told = Occurrence & { readonly text: string };

/** Records an event. `ip` is that of who did it, `undefined` if nobody did. */
export function tell(host: Pick<Host, 'store' | 'events'>, account: Account, ip: string | undefined, event: Told) {
  const by = { account, ip: ip ?? '', isNoticed: ip === undefined };
  return host.store.write((tx) => host.events.record(tx, { ...event, ...by }));
}
