import type { PluginRows } from '../../support/plugin-rows.ts';

const domain = 'harbour-cafe.example';

const rows: PluginRows = {
  walk: {
    setOptions: () => ({ path: `/api/php/sites/${domain}/options`, body: { memory_mib: 96 } }),
    setVersion: () => ({ path: `/api/php/sites/${domain}/version`, body: { version: '' } }),
  },
  opened: { list: 'php or php_options', setVersion: 'php', setOptions: 'php_options' },
  answered: 'home',
  without: { domains: { list: ['.sites[]'], setOptions: 404, setVersion: 404 } },
  bounded: { list: "the account's domains, by its plan" },
  pages: { '/home/php': ['PHP of harbour-cafe.example'] },
};
export default rows;
