import type { LoggedEvent } from '../../kernel/storage/audit-log.ts';
import type { EventView } from './schema.ts';

export function eventView({ id, at, type, account_id, username, ip, line, data }: LoggedEvent): EventView {
  return { id, at: new Date(at).toISOString(), type, account_id, username, ip, text: line, data: { ...data } };
}
