import type { LoggedEvent } from '../../kernel/store/events/event-types.ts';
import type { EventView } from './schema.ts';

export function eventView({ id, at, type, account_id, username, ip, line, data, node }: LoggedEvent): EventView {
  return {
    id,
    at: new Date(at).toISOString(),
    type,
    account_id,
    username,
    ip,
    node: node || null,
    text: line,
    data: { ...data },
  };
}
