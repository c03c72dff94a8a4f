/** Writes keys, and what plugins keep in files, in a loop, and reports each write, until killed. */
import { Keyring } from '../../kernel/identity/gate/keyring.ts';
import { cacheWriters } from './plugin-rows.ts';

async function writeAll(folder: string, filesRoot: string): Promise<void> {
  const keys = Keyring.open(folder);
  const writers: [string, (n: number) => unknown][] = [['keys', () => keys.rotate()]];
  for (const [plugin, writer] of await cacheWriters()) writers.push([plugin, await writer.open(folder, filesRoot)]);
  await Promise.all(
    writers.map(async ([kind, write]) => {
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
