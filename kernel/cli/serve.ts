import type { Command } from 'commander';
import { withDeadline } from '../concurrency/deadline.ts';
import { messageOf } from '../errors.ts';
import { Hostkeep } from '../hostkeep.ts';
import { createLog, type Log } from '../log.ts';
import type { Occurrence } from '../storage/audit-log.ts';
import { configOf, type GlobalOptions } from './command-context.ts';
import { precautions } from './precautions.ts';

declare module '../storage/audit-log.ts' {
  interface EventTypes {
    'configuration.reloaded': undefined;
    'configuration.refused': { readonly reason: string };
  }
}

/** How long a server that failed may take to close. */
const ABANDON_MS = 10_000;
/** A timer may throw again and again until the process ends. */
const UNHANDLED_LOGGED = 10;

/** `hostkeep serve`: runs a node until SIGTERM or SIGINT; SIGHUP reloads the configuration. */
export async function serve(_: GlobalOptions, command: Command): Promise<void> {
  const options = command.optsWithGlobals<GlobalOptions>();
  const config = configOf(options);
  const log = createLog(config.log.level);
  const starting = Hostkeep.start(config, log);
  process.on('SIGHUP', () => void starting.then((hostkeep) => reload(hostkeep, log, options)));
  untilStopped(starting, log);
  const hostkeep = await starting;
  for (const { ok, name, detail, remedy } of await precautions(config))
    if (!ok) log.warn({ setting: name, remedy }, `${name}: ${detail}`);
  if ((await hostkeep.core.accounts.count('admin')) === 0)
    log.warn('there is no administrator yet: create one with `hostkeep account add --admin <username>`');
}

/**
 * Ends the process in order: with exit code 0 on SIGTERM or SIGINT, which finishes accepted requests; with 1 after an error
 * that nothing handled, because then its state is unknown, so that systemd starts another.
 */
export function untilStopped(starting: Promise<Hostkeep>, log: Log): void {
  let unhandled = 0;
  const stop = async (closing: Promise<void>): Promise<void> => {
    try {
      await closing;
    } catch (error) {
      log.fatal({ err: error }, 'stopping failed');
      process.exit(1);
    }
    process.exit(unhandled === 0 ? 0 : 1);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      log.info({ signal }, 'stopping');
      void stop(starting.then((hostkeep) => hostkeep.close()));
    });
  process.on('uncaughtException', (error, origin) => {
    unhandled += 1;
    if (unhandled <= UNHANDLED_LOGGED) log.fatal({ err: error, origin }, 'nothing handled this error: stopping');
    if (unhandled > 1) return;
    const closing = starting.then((hostkeep) => hostkeep.abandon(error));
    void stop(withDeadline(closing, ABANDON_MS));
  });
}

/**
 * Reloads the configuration. If the new one is invalid, logs the reason and keeps the current one. Records the outcome, so
 * that `hostkeep reload` and operators see it.
 */
async function reload(hostkeep: Hostkeep, log: Log, options: GlobalOptions): Promise<void> {
  try {
    await hostkeep.reconfigure(configOf(options));
    log.info('the configuration was reloaded');
    await record(hostkeep, { type: 'configuration.reloaded', text: 'had the configuration reloaded' });
  } catch (error) {
    const reason = messageOf(error);
    log.error(`the configuration was not changed: ${reason}`);
    await record(hostkeep, {
      type: 'configuration.refused',
      text: `had the configuration reloaded, which was refused: ${reason}`,
      data: { reason },
    }).catch((cause: unknown) => log.error({ err: cause }, 'the outcome could not be recorded'));
  }
}

type Outcome = Extract<Occurrence, { readonly type: 'configuration.reloaded' | 'configuration.refused' }>;

function record({ core: { store, events } }: Hostkeep, outcome: Outcome & { readonly text: string }): Promise<void> {
  return store.write((tx) => events.record(tx, { ...outcome, ip: '' }));
}
