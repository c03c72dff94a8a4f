import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOT } from '../../support/dot.ts';
import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  walk: {
    thumbnail: ({ people }) => {
      writeFileSync(join(people.demo.filesRoot, 'dot.gif'), DOT, { mode: 0o644 });
      return { path: '/api/thumbnails?path=dot.gif' };
    },
  },
  opened: 'filemanager',
  answered: 'home',
  isolation: { unmarked: { thumbnail: 'a picture of the file that it names' } },
};
export default rows;
