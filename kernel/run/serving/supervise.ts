import { realpathSync } from 'node:fs';
import { mergeConfig, readLayers } from '../../config/configuration.ts';
import { errorMessage } from '../../errors.ts';
import { loadUws } from '../../http/uws.ts';
import { createLog } from '../../log.ts';
import { ServingLock } from '../data/serving-lock.ts';
import { startOwnProgram } from '../../kit/programs/start-program.ts';
import { splitHostPort } from '../../kit/net/host-port.ts';
import type { Ports } from '../../workers/messages.ts';
import { HeldPorts } from './held-ports.ts';
import { Supervisor } from './supervisor.ts';
import { configFile, type GlobalOptions } from '../command-context.ts';

/** Runs a node of several workers until SIGTERM or SIGINT. Its exit code is that of a worker that failed. */
export async function supervise(options: GlobalOptions, count: number): Promise<void> {
  const file = configFile(options);
  const read = () => {
    const layers = readLayers(file, process.env);
    return { config: mergeConfig(layers, file), settings: { layers, file } };
  };
  const { config, settings } = read();
  const log = createLog(config.log.level);
  loadUws(); // refuses a system on which no worker can serve, before anything is created
  const script = realpathSync(process.argv[1] ?? ''); // an upgrade may exchange what the path leads to
  const start = () => startOwnProgram(script, ['worker']);
  const holdAt = ({ user = 0, admin = 0 }: Ports) => {
    const at = (listen: string, port: number) => ({ host: splitHostPort(listen).host, port });
    return new HeldPorts(
      [at(config.listen, user), at(config.admin_listen, admin)],
      () => log.info('no worker serves: connections wait'),
      (error) => log.error({ err: error }, 'connections are refused while no worker serves'),
    );
  };
  const supervisor = new Supervisor({ count, start, settings, log, holdAt });
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      log.info({ signal }, 'stopping');
      supervisor.stop();
    });
  process.on('SIGHUP', () => {
    try {
      const next = read();
      log.level = next.config.log.level;
      void supervisor.reload(next.settings);
    } catch (error) {
      void supervisor.refuse(errorMessage(error));
    }
  });
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ err: error, origin }, 'nothing handled this error: stopping');
    supervisor.kill();
    process.exit(1);
  });
  const lock = await ServingLock.acquire(config.data);
  supervisor.start();
  const code = await supervisor.ended;
  await lock.release();
  process.exit(code);
}
