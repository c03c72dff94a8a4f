import { InvalidArgumentError, Option, type Command } from 'commander';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditLog } from '../../store/events/audit-log.ts';
import type { EventFilter } from '../../store/events/event-search.ts';
import type { LoggedEvent } from '../../store/events/event-types.ts';
import { countOf, print, withCore, type GlobalOptions } from '../command-context.ts';

interface Options extends GlobalOptions {
  readonly json?: boolean;
  readonly follow?: boolean;
  readonly limit: number;
  readonly type?: string;
  readonly account?: string;
  readonly ip?: string;
  readonly since?: number;
}

/** How soon an event of another process is seen. */
const POLL_MS = 500;
const PAGE = 500;
const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `hostkeep events`: prints the log, and with `--follow` goes on until it is stopped. */
export function addEventsCommand(program: Command): void {
  program
    .command('events')
    .description('print what happened on the server, oldest first, also while it runs')
    .option('--follow', 'go on with what happens from now on, until Ctrl-C; with --json, one line for each event')
    .option('--type <type>', 'only events of this type; * stands for anything, as in domain.*')
    .option('--account <username>', 'only events of an account, also of one that was removed')
    .option('--ip <address>', 'only events from this address')
    .addOption(
      new Option(
        '--since <time>',
        'only events after a time, such as 2026-11-22T08:00:00Z, or 90m, 12h, 7d ago',
      ).argParser(timeOf),
    )
    .addOption(new Option('--limit <number>', 'at most this many past events').argParser(countOf).default(100))
    .option('--json', 'print JSON')
    .action(events);
}

async function events(_: Options, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>();
  const { json, follow, limit, type, account, ip, since } = options;
  const filter: EventFilter = {
    ...(type !== undefined && { type }),
    ...(account !== undefined && { username: account }),
    ...(ip !== undefined && { ip }),
    ...(since !== undefined && { since }),
  };
  await withCore(options, async ({ events: log }) => {
    const last = await log.lastId();
    const past = await log.find(filter, limit);
    if (follow !== true) return print(json, past.map(valueOf), past.map(({ line }) => line).join('\n'));
    for (const event of past) emit(json, event);
    await followLog(log, filter, Math.max(last, past.at(-1)?.id ?? 0), (event) => emit(json, event));
  });
}

/** Resolves when the process is asked to stop. The store is asked, because events of other processes are only there. */
async function followLog(log: AuditLog, filter: EventFilter, from: number, tell: (event: LoggedEvent) => void) {
  const stopping = new AbortController();
  void Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]).then(() => stopping.abort());
  for (let last = from; !stopping.signal.aborted;) {
    const found = await log.find(filter, PAGE, last);
    for (const event of found) tell(event);
    last = found.at(-1)?.id ?? last;
    if (found.length < PAGE) await delay(POLL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
}

function emit(asJson: boolean | undefined, event: LoggedEvent): void {
  process.stdout.write(`${asJson === true ? JSON.stringify(valueOf(event)) : event.line}\n`);
}

function valueOf({ id, at, type, account_id, username, ip, line, data, node }: LoggedEvent) {
  return { id, at: new Date(at).toISOString(), type, account_id, username, ip, node: node || null, text: line, data };
}

/** Returns milliseconds since 1970. */
function timeOf(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const at = count === undefined ? Date.parse(text) : Date.now() - Number(count) * (UNITS_MS[unit] ?? 0);
  if (Number.isNaN(at)) throw new InvalidArgumentError('It must be a time, or an age such as 90m, 12h or 7d.');
  return at;
}
