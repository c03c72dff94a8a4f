import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { defineCommands, parseCount, UsageError, type CommandOutput } from '../../kernel/contract/command.ts';
import type { AuditLog } from '../../kernel/store/events/audit-log.ts';
import type { EventFilter } from '../../kernel/store/events/event-search.ts';
import type { LoggedEvent } from '../../kernel/store/events/event-types.ts';

/** How soon an event of another process is seen. */
const POLL_MS = 500;
const PAGE = 500;
const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export default defineCommands({
  usage: 'events',
  summary: 'print what happened on the server, oldest first, also while it runs',
  options: [
    {
      flags: '--follow',
      summary: 'go on with what happens from now on, until Ctrl-C; with --json, one line for each event',
    },
    { flags: '--type <type>', summary: 'only events of this type; * stands for anything, as in domain.*' },
    { flags: '--account <username>', summary: 'only events of an account, also of one that was removed' },
    { flags: '--ip <address>', summary: 'only events from this address' },
    {
      flags: '--since <time>',
      summary: 'only events after a time, such as 2026-11-22T08:00:00Z, or 90m, 12h, 7d ago',
      parse: parseTime,
    },
    { flags: '--limit <number>', summary: 'at most this many past events; 100 unless given', parse: parseCount },
  ],
  run: ({ withStore, emit }, _, { follow, limit = 100, type, account, ip, since }) => {
    const filter: EventFilter = {
      ...(type !== undefined && { type: String(type) }),
      ...(account !== undefined && { username: String(account) }),
      ...(ip !== undefined && { ip: String(ip) }),
      ...(since !== undefined && { since: Number(since) }),
    };
    return withStore(async ({ events: log }) => {
      const last = await log.lastId();
      const past = await log.find(filter, Number(limit));
      if (follow !== true) return { value: past.map(view), text: past.map(({ line }) => line).join('\n') };
      for (const event of past) emit(output(event));
      await followLog(log, filter, Math.max(last, past.at(-1)?.id ?? 0), (event) => emit(output(event)));
      return undefined;
    });
  },
});

const output = (event: LoggedEvent): CommandOutput => ({ value: view(event), text: event.line });

/** Resolves when the process is asked to stop. The store is asked, because events of other processes are only there. */
async function followLog(log: AuditLog, filter: EventFilter, from: number, tell: (event: LoggedEvent) => void) {
  const stopping = new AbortController();
  void Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]).then(() => stopping.abort());
  for (let last = from; !stopping.signal.aborted;) {
    const found = await log.find(filter, PAGE, last);
    for (const event of found) tell(event);
    last = found.at(-1)?.id ?? last;
    // aborted, as the loop sees
    if (found.length < PAGE) await delay(POLL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
}

function view({ id, at, type, account_id, username, ip, line, data, node }: LoggedEvent) {
  return { id, at: new Date(at).toISOString(), type, account_id, username, ip, node: node || null, text: line, data };
}

/** Returns milliseconds since 1970. */
function parseTime(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const at = count === undefined ? Date.parse(text) : Date.now() - Number(count) * (UNITS_MS[unit] ?? 0);
  if (Number.isNaN(at)) throw new UsageError('It must be a time, or an age such as 90m, 12h or 7d.');
  return at;
}
