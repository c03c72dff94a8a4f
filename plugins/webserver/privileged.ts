import { definePrivileged } from '../../kernel/contract/privileged.ts';
import { findDriver } from './drivers.ts';
import { WebserverConfig } from './schema.ts';
import { VhostWriter, type VhostVerbs } from './vhosts/vhost-writer.ts';

/** Writes virtual hosts, and has the web server check and reload them. */
export default definePrivileged<VhostVerbs>()({
  name: 'webserver',
  config: WebserverConfig,
  verbs: ['acquire', 'release', 'prepare', 'keep', 'apply', 'reload', 'settle'],
  timeoutMs: 180_000,
  open: ({ config, log, rootOf, userOf }) => {
    const driver = findDriver(config);
    if (driver === undefined) throw new Error('webserver.driver is none');
    return new VhostWriter({ driver, config, log, rootOf, userOf });
  },
});
