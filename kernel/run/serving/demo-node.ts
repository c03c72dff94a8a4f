import { loadConfig, type Config } from '../../config/configuration.ts';
import type { CommandContext } from '../../contract/command.ts';
import { formatTime } from '../../kit/format.ts';
import { createLog, type Log } from '../../log.ts';
import { Hostkeep } from '../hostkeep.ts';
import { untilStopped } from './node-life.ts';

type Prepare = Parameters<CommandContext['serveDemo']>[1];

/** Serves the node of a demo; see `CommandContext.serveDemo`. Resolves when it serves. */
export async function serveDemo(
  file: string | undefined,
  settings: Readonly<Record<string, unknown>>,
  prepare: Prepare,
): Promise<void> {
  const config = loadConfig(file, { ...process.env, HOSTKEEP_STORE_URL: undefined }, settings);
  const log = createLog(config.log.level);
  const starting = begin(config, log, prepare);
  untilStopped(starting, log); // from the start, so that an early signal removes what was created so far
  process.once('SIGHUP', () => process.kill(process.pid, 'SIGTERM')); // the terminal was closed
  await starting;
}

async function begin(config: Config, log: Log, prepare: Prepare): Promise<Hostkeep> {
  const hostkeep = await Hostkeep.start(config, log, { listen: 'later', isDemo: true });
  const { core, node, plugins } = hostkeep;
  try {
    const ready = await prepare({
      store: core.store,
      events: core.events,
      identity: core,
      config,
      locales: node.locales,
      plugins: node.plugins,
      gather: plugins.gather,
      backdate: (ms) => backdate(hostkeep, ms),
      makeRoot: (account) => core.jobs.makeRoot(account),
    });
    await hostkeep.listen();
    ready({ base_url: hostkeep.url('user'), admin_url: hostkeep.url('admin') });
    return hostkeep;
  } catch (error) {
    await hostkeep.close();
    throw error;
  }
}

/** Dates events in the order in which the log shows them: what plugins add later lies after them. */
function backdate({ core: { store } }: Hostkeep, ms: number): Promise<void> {
  const at = Date.now() - ms;
  const time = `[${formatTime(at)}]`;
  return store.write(async (tx) => {
    await tx.run('update accounts set created_at = ?', at);
    await tx.run(
      'update events set at = ?, line = ? || substr(line, ?), folded = ? || substr(folded, ?)',
      at,
      time,
      time.length + 1,
      time,
      time.length + 1,
    );
  });
}
