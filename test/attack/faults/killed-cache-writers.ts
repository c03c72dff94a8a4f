import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keyring } from '../../../kernel/identity/keyring.ts';
import { Store } from '../../../kernel/storage/store.ts';
import { DiskCache } from '../../../plugins/screenshots/cache/disk-cache.ts';
import { cleanIndexFolder, indexFile, loadTree } from '../../../plugins/search/name-index/index-file.ts';
import { VhostFolder } from '../../../plugins/webserver/vhost-folder.ts';
import { MINUTES } from '../../support/cache-writer.ts';
import { temporaryFolder } from '../../support/folder.ts';

const WRITES_AT_MOST = 150;
/** What the writer writes; the last one is not killed before it has written each. */
const KINDS = 5;
const FILES = 2000;
/** Older ones are on their way out. */
const BATCHES_LOOKED_AT = 100;

/** Pictures, search indexes, virtual hosts, history and keys whose writer is killed: each is whole, the old one or the new one, and nothing else stays. */
export async function killCaches(rounds: number): Promise<string> {
  const folder = temporaryFolder();
  const filesRoot = join(folder, 'files');
  mkdirSync(filesRoot);
  for (let i = 0; i < FILES; i += 1) writeFileSync(join(filesRoot, `file-${i}`), '');
  const written = new Map<string, number>();
  for (let round = 0; round < rounds; round += 1) {
    const child = fork(join(import.meta.dirname, '../../support/cache-writer.js'), [folder, filesRoot], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    let left = Math.ceil(Math.random() * WRITES_AT_MOST);
    child.on('message', (kind: string) => {
      written.set(kind, (written.get(kind) ?? 0) + 1);
      left -= 1;
      if (left <= 0 && (round < rounds - 1 || written.size === KINDS)) child.kill('SIGKILL');
    });
    await once(child, 'exit');
    if (left > 0) throw new Error('the writer of caches ended by itself');
    await assertWhole(folder, filesRoot);
  }
  return `killed writers of caches: ${rounds}; whole were ${[...written]
    .toSorted()
    .map(([kind, n]) => `${n} ${kind}`)
    .join(', ')}`;
}

async function assertWhole(folder: string, filesRoot: string): Promise<void> {
  Keyring.open(folder);
  const disk = new DiskCache(join(folder, 'screenshots'), 3_600_000, 100_000_000, () => undefined);
  for (let n = 0; n < 20; n += 1) {
    const picture = await disk.read(1, 'a.test', `u${n}`);
    if (picture !== undefined && !picture.png.subarray(0, 50_000).every((byte) => byte === picture.png[0]))
      throw new Error('a picture is of two');
  }
  const vhosts = new VhostFolder(join(folder, 'vhosts'));
  for (const name of await vhosts.names()) {
    const text = (await vhosts.read(name)) ?? '';
    if (text !== `${text.split(' ')[0]} `.repeat(5000)) throw new Error(`the virtual host ${name} is not whole`);
  }
  const indexes = join(folder, 'search');
  await cleanIndexFolder(indexes, async () => true);
  const tree = loadTree(indexFile(indexes, 1), filesRoot);
  if (tree !== undefined && tree.files.count !== FILES)
    throw new Error(`a search index holds ${tree.files.count} files`);
  await assertMinutes(folder);
  const strays = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tmp$|keys\.json\./.test(name),
  );
  if (strays.length > 0) throw new Error(`left behind: ${strays.join()}`);
}

/** Minutes come in whole batches. */
async function assertMinutes(folder: string): Promise<void> {
  const store = await Store.open(join(folder, 'hostkeep.db'));
  try {
    const broken = await store.all(
      `select cpu from usage_history where step = 60 and cpu > (select max(cpu) from usage_history) - ${BATCHES_LOOKED_AT}
      group by cpu having count(*) <> ?`,
      MINUTES,
    );
    if (broken.length > 0) throw new Error(`${broken.length} batches of minutes are not whole`);
  } finally {
    await store.close();
  }
}
