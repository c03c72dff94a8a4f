import type { Command } from 'commander';
import { messageOf } from '../errors.ts';
import { Hostkeep } from '../hostkeep.ts';
import { createLog, type Log } from '../log.ts';
import { configOf, type GlobalOptions } from './command-context.ts';
import { precautions } from './precautions.ts';

/** `hostkeep serve`: runs a node until SIGTERM or SIGINT; SIGHUP reloads the configuration. */
export async function serve(_: GlobalOptions, command: Command): Promise<void> {
  const options = command.optsWithGlobals<GlobalOptions>();
  const config = configOf(options);
  const log = createLog(config.log.level);
  const starting = Hostkeep.start(config, log);
  process.on('SIGHUP', () => void starting.then((hostkeep) => reload(hostkeep, log, options)));
  untilStopped(starting, log);
  const hostkeep = await starting;
  for (const { ok, name, detail, remedy } of precautions(config))
    if (!ok) log.warn({ setting: name, remedy }, `${name}: ${detail}`);
  if ((await hostkeep.core.accounts.count('admin')) === 0)
    log.warn('there is no administrator yet: create one with `hostkeep account add --admin <username>`');
}

/** On SIGTERM or SIGINT, closes the server, which finishes accepted requests, and then exits. */
export function untilStopped(starting: Promise<Hostkeep>, log: Log): void {
  const stop = async (signal: string): Promise<void> => {
    log.info({ signal }, 'stopping');
    try {
      await (await starting).close();
      process.exit(0);
    } catch (error) {
      log.fatal({ err: error }, 'stopping failed');
      process.exit(1);
    }
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(signal));
}

/** Reloads the configuration. If the new one is invalid, logs the reason and keeps the current one. */
async function reload(hostkeep: Hostkeep, log: Log, options: GlobalOptions): Promise<void> {
  try {
    await hostkeep.reconfigure(configOf(options));
    log.info('the configuration was reloaded');
  } catch (error) {
    log.error(`the configuration was not changed: ${messageOf(error)}`);
  }
}
