/** Writes screenshots, indexes, virtual hosts, history and keys in a loop, and reports each write, until killed. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Keyring } from '../../kernel/identity/gate/keyring.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { SqliteEngine } from '../../kernel/store/sqlite/sqlite-engine.ts';
import { DiskCache } from '../../plugins/screenshots/cache/disk-cache.ts';
import { saveTree } from '../../plugins/search/name-index/index-file.ts';
import { FileTree } from '../../plugins/search/name-index/file-tree.ts';
import { buildTree } from '../../plugins/search/indexer/tree-walk.ts';
import { UsageStore } from '../../plugins/usage/history/store.ts';
import { VhostFolder } from '../../plugins/webserver/vhosts/vhost-folder.ts';

import { rootAt } from './files-root.ts';
import { migrate } from '../../kernel/store/migrate.ts';

/** The end of a PNG file, which every screenshot of the test has. */
const PICTURE_END = Buffer.from('0000000049454e44ae426082', 'hex');
/** Minutes in a batch of the history. */
export const MINUTES = 10;

async function writeAll(folder: string, filesRoot: string): Promise<void> {
  const disk = new DiskCache(join(folder, 'screenshots'), 3_600_000, 100_000_000, () => undefined);
  const vhosts = new VhostFolder(join(folder, 'vhosts'));
  const store = await SqliteEngine.open(join(folder, 'node.db'));
  await migrate(store, 'usage', join(projectDir, 'plugins/usage/migrations/local'));
  await vhosts.make();
  const usage = new UsageStore(store);
  const keys = Keyring.open(folder);
  const tree = new FileTree();
  mkdirSync(join(folder, 'search'), { recursive: true });
  await buildTree(tree, rootAt(filesRoot), { shouldStop: () => false, maxNames: 100_000 });
  const writers: Readonly<Record<string, (n: number) => Promise<void> | void>> = {
    picture: (n) =>
      disk.write(1, 'a.test', `u${n % 20}`, {
        png: Buffer.concat([Buffer.alloc(50_000, n % 251), PICTURE_END]),
        takenAt: Date.now(),
      }),
    vhost: (n) => vhosts.put(`site-${n % 20}.conf`, `${n} `.repeat(5000)),
    minutes: (n) =>
      usage.write(
        Array.from({ length: MINUTES }, (_, i) => ({
          at: (n * MINUTES + i) * 60,
          cpu: n,
          memory: n,
          disk: n,
          users: n,
          domains: n,
          websites: n,
        })),
      ),
    keys: () => void keys.rotate(),
    index: () => saveTree(join(folder, 'search/index'), filesRoot, tree),
  };
  await Promise.all(
    Object.entries(writers).map(async ([kind, write]) => {
      for (let n = Math.floor(Date.now() / 1000); ; n += 1) {
        await write(n);
        process.send?.(kind);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }),
  );
}

const [, script = '', folder, filesRoot] = process.argv;
if (script === import.meta.filename && folder !== undefined && filesRoot !== undefined)
  await writeAll(folder, filesRoot);
