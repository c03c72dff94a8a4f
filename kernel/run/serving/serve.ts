import type { Command } from 'commander';
import { availableParallelism } from 'node:os';
import { createLog } from '../../log.ts';
import { readConfig, type GlobalOptions } from '../command-context.ts';

interface Options extends GlobalOptions {
  readonly workers?: number;
}

/** More take memory, and most nodes have work for fewer. */
const MOST_BY_DEFAULT = 4;

/**
 * `hostkeep serve`: runs a node until SIGTERM or SIGINT; SIGHUP reloads the configuration. A single worker is this process
 * itself; several have it as their supervisor.
 */
export async function serve(_: GlobalOptions, command: Command): Promise<void> {
  const { workers = Math.min(MOST_BY_DEFAULT, availableParallelism()), ...options } =
    command.optsWithGlobals<Options>();
  if (workers > 1) return (await import('./supervise.ts')).supervise(options, workers);
  const { logPrecautions, reconfigure, recordReload, untilStopped } = await import('./node-life.ts');
  const { Hostkeep } = await import('../hostkeep.ts');
  const config = readConfig(options);
  const log = createLog(config.log.level);
  const starting = Hostkeep.start(config, log);
  process.on('SIGHUP', () => {
    void starting.then(async (hostkeep) =>
      recordReload(hostkeep, log, await reconfigure(hostkeep, () => readConfig(options))),
    );
  });
  untilStopped(starting, log);
  await logPrecautions(await starting, log);
}
