import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { errorMessage } from '../../kernel/errors.ts';
import type { DemoReport } from '../../kernel/contract/points/demo.ts';
import { startProgram } from '../../kernel/kit/programs/start-program.ts';
import type { EngineMonitor } from './engine-monitor.ts';

const TIMEOUT_MS = 30_000;

/** Starts the demo's containers if the engine answers, and registers their removal with `onClose`. */
export async function startDemoContainers(
  monitor: EngineMonitor,
  { username }: Account,
  onClose: (release: () => Promise<void>) => void,
): Promise<DemoReport> {
  const { ok, detail, remedy } = await monitor.finding();
  if (!ok) return { leftOut: [`containers: ${detail} (${remedy})`] };
  const { engine } = monitor;
  const removeAll = async () => void (await engine.ask('removeDemo', { username }, { timeoutMs: TIMEOUT_MS }));
  try {
    await removeAll(); // a demo that was killed may have left containers
    onClose(removeAll);
    const bytes = await busyboxArchive();
    const count = await engine.ask('startDemo', { username }, { timeoutMs: TIMEOUT_MS, bytes });
    return {
      uses: [
        `containers: ${detail}; ${count} small containers of ${username}, see /api/docker_stats and /api/container/df`,
      ],
    };
  } catch (error) {
    return {
      leftOut: [
        `containers: ${detail}, but ${errorMessage(error)} (the demo's image is made from a static busybox: apt-get install busybox-static)`,
      ],
    };
  }
}

/** Resolves with a tar archive of the host's busybox, so that nothing is pulled. */
async function busyboxArchive(): Promise<Buffer> {
  const tar = startProgram('tar', ['--create', '--dereference', '--directory=/bin', 'busybox']);
  const [archive, [code]] = await Promise.all([buffer(tar.stdout as Readable), once(tar, 'close')]);
  if (code !== 0) throw new Error('this host has no busybox');
  return archive;
}
