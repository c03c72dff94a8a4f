import { join } from 'node:path';
import { readJson } from '../../../kernel/config/configuration.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import type { PluginRows } from '../../support/plugin-rows.ts';

/** As a browser, which alone is led to a page. */
const headers = { accept: 'text/html' };

const folder = join(projectDir, 'dist/plugins/pages/assets');
const { paths } = readJson(join(folder, 'places.json')) as { paths: string[] };

/** Returns the path of a file that the build made. */
function builtAsset(): string {
  const { types } = readJson(join(folder, 'manifest.json')) as { types: object };
  return `/assets/${Object.keys(types)[0]}`;
}

const rows: PluginRows = {
  walk: {
    ...Object.fromEntries(paths.map((path) => [`short ${path}`, () => ({ headers })])),
    start: () => ({ headers }),
    'start on admin': () => ({ headers }),
    home: () => ({ path: '/home/domains', headers }),
    console: () => ({ path: '/console/accounts', headers }),
    asset: () => ({ path: builtAsset() }),
    'asset on admin': () => ({ path: builtAsset() }),
  },
  opened: 'guest',
  answered: 'anywhere',
  bounded: { session: 'as many as the product has' },
  pages: { '/home/nowhere': [], '/console/nowhere': [] },
};
export default rows;
