import { rm } from 'node:fs/promises';
import type { Host } from '../../kernel/contract/plugin.ts';
import { OWN_UID } from '../../kernel/kit/net/account-socket.ts';
import { PhpPools } from './pools/php-pools.ts';
import type { PhpVerbs } from './pools/php-verbs.ts';
import privileged from './privileged.ts';
import type { PhpConfig } from './schema.ts';

/** Returns the verbs of a demo, of whose processes and sockets nothing is left when it ends. */
export function demoVerbs(host: Host<PhpConfig>): PhpVerbs {
  const { config, node, onClose } = host;
  if (node.config.broker.socket !== '') return node.privileged(privileged, config);
  const verbs = OWN_UID === 0 ? node.privileged(privileged, config) : ownPools(host);
  onClose(async () => {
    if (!node.isStopping()) return; // a reload needs them
    for (const { accountId } of await verbs.running(null)) await verbs.end(accountId);
    await rm(config.run_folder, { recursive: true, force: true });
  });
  return verbs;
}

/** Has scripts run as who started the demo without root's rights: all of its files are theirs. */
function ownPools({ config, jobs, log, onClose }: Host<PhpConfig>): PhpVerbs {
  const closing = new AbortController();
  onClose(() => closing.abort());
  const self = { uid: OWN_UID, webGid: process.getegid?.() ?? OWN_UID };
  const userOf = () => ({ ...self, namesakeUid: null, isRequired: false });
  const rootOf = (username: string) => jobs.rootOf(username);
  return new PhpPools({ config, log, rootOf, userOf, signal: closing.signal }, self);
}
