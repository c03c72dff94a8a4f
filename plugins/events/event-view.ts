import type { Locales } from '../../kernel/config/locales.ts';
import type { LoggedEvent } from '../../kernel/store/events/event-types.ts';
import type { EventView } from './schema.ts';

/** Returns an event as the API has it, told in a language. */
export function eventView(event: LoggedEvent, locales: Locales, language: string): EventView {
  const { id, at, type, account_id, username, ip, line, data, node } = event;
  return {
    id,
    at: new Date(at).toISOString(),
    type,
    account_id,
    username,
    ip,
    node: node || null,
    text: line,
    summary: locales.eventText(language, event),
    data: { ...data },
  };
}
