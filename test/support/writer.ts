/** Makes twenty concurrent series of writes, recording each acknowledged one, until killed. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteEngine } from '../../kernel/store/sqlite/sqlite-engine.ts';

const [folder = '', round = ''] = process.argv.slice(2);
const store = await SqliteEngine.open(join(folder, 'test.db'));
await store.write((tx) => tx.run('create table if not exists things (name text primary key) strict'));
await Promise.all(
  Array.from({ length: 20 }, async (_, writer) => {
    for (let i = 0; ; i += 1) {
      const name = `${round}-${writer}-${i}`;
      await store.write((tx) => tx.run('insert into things values (?)', name));
      appendFileSync(join(folder, 'acknowledged'), `${name}\n`);
      process.send?.(name);
    }
  }),
);
