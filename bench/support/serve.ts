/** Runs a Hostkeep in a separate process; the argument is the configuration as JSON. */
import { checkConfig } from '../../kernel/config/configuration.ts';
import { Hostkeep } from '../../kernel/run/hostkeep.ts';
import { createLog } from '../../kernel/log.ts';

const config = checkConfig(JSON.parse(process.argv[2] ?? '{}') as Record<string, unknown>, () => 'bench');
const hostkeep = await Hostkeep.start(config, createLog(config.log.level));
process.send?.({
  port: Number(new URL(hostkeep.url('user')).port),
  adminPort: Number(new URL(hostkeep.url('admin')).port),
});
process.once('SIGTERM', () => void hostkeep.close().then(() => process.exit(0)));
