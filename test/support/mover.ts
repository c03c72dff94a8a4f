/** Moves a plugin's tables to the local store, and kills itself when a step is done: `node mover.js <data> <plugin> <folder> <step>`. */
import { join } from 'node:path';
import { migrateStores } from '../../kernel/store/local-store.ts';
import { Store } from '../../kernel/store/store.ts';

const [data = '', plugin = '', folder = '', step = ''] = process.argv.slice(2);
const store = await Store.open(join(data, 'hostkeep.db'));
const local = await Store.open(join(data, 'node.db'));
const die = () => process.kill(process.pid, 'SIGKILL');
const migrate = store.migrate.bind(store);
store.migrate = (owner, path, copy) =>
  migrate(owner, path, async (migration) => {
    if (step === 'local tables made') die();
    await copy?.(migration);
    if (step === 'rows copied') die();
  });
await migrateStores({ store, local }, plugin, folder);
die();
