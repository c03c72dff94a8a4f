import { ConfigLayers, type LayersText } from '../../config/config-layers.ts';
import { mergeConfig } from '../../config/configuration.ts';
import { Hostkeep } from '../hostkeep.ts';
import { createLog } from '../../log.ts';
import { WorkerChannel } from '../../workers/worker-channel.ts';
import { logPrecautions, reconfigure, recordReload, untilStopped } from './node-life.ts';

interface Settings {
  readonly layers: LayersText;
  readonly file?: string;
}

/** One of the processes that `hostkeep serve` starts. It ends with its supervisor, because another may then serve. */
export async function worker(): Promise<void> {
  process.on('disconnect', () => process.exit(1));
  process.on('SIGHUP', () => undefined); // a terminal sends it to all; the supervisor says when to reload
  const { channel, start } = await WorkerChannel.open(process);
  // A service manager signals all processes, and the supervisor then says it again: that must not cut the end short.
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => (isStopping = true));
  const configIn = ({ layers, file }: Settings) => mergeConfig(new ConfigLayers(layers), file);
  const config = configIn(start.settings as Settings);
  const log = createLog(config.log.level);
  const { ports, isFirst } = start;
  const starting = Hostkeep.start(config, log, { shared: { workers: channel, ports, isFirst } });
  untilStopped(starting, log);
  channel.obey({
    stop: () => {
      if (!isStopping) process.kill(process.pid, 'SIGTERM');
    },
    reload: async (settings) => reconfigure(await starting, () => configIn(settings as Settings)),
    record: async (refusal) => recordReload(await starting, log, refusal),
  });
  const hostkeep = await starting;
  channel.send({ kind: 'serving', ports: hostkeep.ports });
  if (isFirst) await logPrecautions(hostkeep, log);
}
