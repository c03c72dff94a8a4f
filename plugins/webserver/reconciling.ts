import { setTimeout as delay } from 'node:timers/promises';
import type { Host } from '../../kernel/plugin-api/plugin.ts';
import { FolderLock } from './folder-lock.ts';
import type { WebserverConfig } from './schema.ts';
import type { VhostFolder } from './vhost-folder.ts';
import type { Vhosts } from './vhosts.ts';

/** How long the start waits for the first reconciliation, which continues afterwards. */
const START_MS = 20_000;
const FAILED = 'virtual hosts could not be compared with the domains';

/** Reconciles virtual hosts with the domains now and from now on, unless another process does. Logs failures. */
export async function startReconciling(
  host: Host<WebserverConfig>,
  folder: VhostFolder,
  vhosts: Vhosts,
): Promise<void> {
  try {
    await folder.make();
    const lock = new FolderLock(folder);
    const result = await lock.acquire();
    if (result === 'held-elsewhere') return;
    host.onClose(() => lock.release());
    keepReconciling(host, vhosts);
    const { done } = await vhosts.start({ spareYoung: result === 'taken-over' });
    await Promise.race([done, delay(START_MS, undefined, { ref: false })]);
  } catch (error) {
    host.log.error({ err: error }, FAILED);
  }
}

/**
 * Reacts to changes that do not reach `domainAdded` and `domainRemoved`: removed accounts, and changes by other
 * processes.
 */
function keepReconciling({ config, events, log, onClose }: Host<WebserverConfig>, vhosts: Vhosts): void {
  const reconcile = async (isNeeded: () => boolean | Promise<boolean>) => {
    try {
      if (await isNeeded()) await vhosts.reconcile();
    } catch (error) {
      log.error({ err: error }, FAILED);
    }
  };
  onClose(
    events.listen(({ type, data }) => {
      if (type === 'account.removed') void reconcile(() => true);
      if (type === 'domain.added') void reconcile(async () => !(await vhosts.has(String(data['domain_url']))));
    }),
  );
  if (config.reconcile_seconds === 0) return;
  const timer = setInterval(() => void reconcile(() => true), config.reconcile_seconds * 1000).unref();
  onClose(() => clearInterval(timer));
}
