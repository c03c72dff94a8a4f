import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keyring } from '../../../kernel/identity/gate/keyring.ts';
import { cacheWriters } from '../../support/plugin-rows.ts';
import type { Random } from '../../support/random.ts';
import { temporaryFolder } from '../../support/folder.ts';

const MAX_WRITES = 150;
const FILES = 2000;

/**
 * Kills processes that write screenshots, search indexes, virtual hosts, history and keys. Rejects unless each file is
 * complete, in its old or new version, and no temporary file remains.
 */
export async function killCacheWriters(rounds: number, random: Random): Promise<string> {
  const folder = temporaryFolder();
  const filesRoot = join(folder, 'files');
  mkdirSync(filesRoot);
  for (let i = 0; i < FILES; i += 1) writeFileSync(join(filesRoot, `file-${i}`), '');
  const written = new Map<string, number>();
  /** The last writer is killed only after it has written each kind of file. */
  const kinds = 1 + (await cacheWriters()).length;
  for (let round = 0; round < rounds; round += 1) {
    const child = fork(join(import.meta.dirname, '../../support/cache-writer.js'), [folder, filesRoot], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    let left = Math.ceil(random.next() * MAX_WRITES);
    child.on('message', (kind: string) => {
      written.set(kind, (written.get(kind) ?? 0) + 1);
      left -= 1;
      if (left <= 0 && (round < rounds - 1 || written.size === kinds)) child.kill('SIGKILL');
    });
    await once(child, 'exit');
    if (left > 0) throw new Error('the writer exited before it was killed');
    await assertComplete(folder, filesRoot);
  }
  const counts = [...written].toSorted().map(([kind, n]) => `${n} ${kind}`);
  return `killed cache writers: ${rounds}; complete files: ${counts.join(', ')}`;
}

async function assertComplete(folder: string, filesRoot: string): Promise<void> {
  Keyring.open(folder);
  for (const [, writer] of await cacheWriters()) await writer.assertWhole(folder, filesRoot);
  const strays = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tmp$|keys\.json\./.test(name),
  );
  if (strays.length > 0) throw new Error(`temporary files remain: ${strays.join()}`);
}
