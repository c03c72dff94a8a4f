import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Keyring } from '../../../kernel/identity/gate/keyring.ts';
import { SqliteEngine } from '../../../kernel/store/sqlite/sqlite-engine.ts';
import { DiskCache } from '../../../plugins/screenshots/cache/disk-cache.ts';
import { loadTree, removeLeftovers } from '../../../plugins/search/name-index/index-file.ts';
import { VhostFolder } from '../../../plugins/webserver/vhosts/vhost-folder.ts';
import { MINUTES } from '../../support/cache-writer.ts';
import type { Random } from '../../support/random.ts';
import { temporaryFolder } from '../../support/folder.ts';

const MAX_WRITES = 150;
/** Kinds of files; the last writer is killed only after it has written each kind. */
const KINDS = 5;
const FILES = 2000;
/** Older batches may already be partly pruned. */
const CHECKED_BATCHES = 100;

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
  for (let round = 0; round < rounds; round += 1) {
    const child = fork(join(import.meta.dirname, '../../support/cache-writer.js'), [folder, filesRoot], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    let left = Math.ceil(random.next() * MAX_WRITES);
    child.on('message', (kind: string) => {
      written.set(kind, (written.get(kind) ?? 0) + 1);
      left -= 1;
      if (left <= 0 && (round < rounds - 1 || written.size === KINDS)) child.kill('SIGKILL');
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
  const disk = new DiskCache(join(folder, 'screenshots'), 3_600_000, 100_000_000, () => undefined);
  for (let n = 0; n < 20; n += 1) {
    const picture = await disk.read(1, 'a.test', `u${n}`);
    if (picture !== undefined && !picture.png.subarray(0, 50_000).every((byte) => byte === picture.png[0]))
      throw new Error('a screenshot is a mix of two');
  }
  const vhosts = new VhostFolder(join(folder, 'vhosts'));
  await vhosts.removeLeftovers(); // as the next start does
  for (const name of await vhosts.names()) {
    const text = (await vhosts.read(name)) ?? '';
    if (text !== `${text.split(' ')[0]} `.repeat(5000)) throw new Error(`the virtual host ${name} is incomplete`);
  }
  const index = join(folder, 'search/index');
  mkdirSync(dirname(index), { recursive: true });
  removeLeftovers(index);
  const tree = loadTree(index, filesRoot);
  if (tree !== undefined && tree.files.count !== FILES)
    throw new Error(`a search index holds ${tree.files.count} files`);
  await assertMinutes(folder);
  const strays = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tmp$|keys\.json\./.test(name),
  );
  if (strays.length > 0) throw new Error(`temporary files remain: ${strays.join()}`);
}

/** Rejects if a batch of minutes is incomplete. */
async function assertMinutes(folder: string): Promise<void> {
  const store = await SqliteEngine.open(join(folder, 'node.db'));
  try {
    const broken = await store.all(
      `select cpu from usage_history where step = 60 and cpu > (select max(cpu) from usage_history) - ${CHECKED_BATCHES}
      group by cpu having count(*) <> ?`,
      MINUTES,
    );
    if (broken.length > 0) throw new Error(`${broken.length} batches of minutes are incomplete`);
  } finally {
    await store.close();
  }
}
