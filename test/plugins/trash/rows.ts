import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PluginRows } from '../../support/plugin-rows.ts';

/** A result for each of at most 1000 that the request names. */
const ASKED = 'as many as the request names';
let removed: readonly { readonly id: string }[] = [];

const rows: PluginRows = {
  walk: {
    remove: ({ people }) => {
      writeFileSync(join(people.demo.filesRoot, 'old.html'), '', { mode: 0o644 });
      return { body: { paths: ['old.html'] }, keep: ({ results }) => (removed = [results ?? []].flat() as never) };
    },
    restore: () => ({ body: { ids: removed.map(({ id }) => id) } }),
    empty: () => ({ body: { ids: null } }),
  },
  opened: 'filemanager',
  answered: 'home',
  bounded: { list: 'at most 1000', remove: ASKED, restore: ASKED },
  isolation: { unmarked: { list: 'a trash that is empty' } },
  pages: { '/home/files/trash': [] },
  // nothing was removed that a request to restore could name
  without: { files: { list: 503, remove: 503, restore: 400, empty: 503 } },
  accountTables: { trashes: 'about the trash, which is looked at again' },
};
export default rows;
