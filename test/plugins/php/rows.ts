import type { PluginRows } from '../../support/plugin-rows.ts';

const domain = 'harbour-cafe.example';
const ANY = 'php or php_options or php_ini';
const INI = '; larger forms\nmax_input_vars = 3000\n';

const rows: PluginRows = {
  walk: {
    setOptions: () => ({ path: `/api/php/sites/${domain}/options`, body: { memory_mib: 96 } }),
    setVersion: () => ({ path: `/api/php/sites/${domain}/version`, body: { version: '' } }),
    setIni: () => ({ path: `/api/php/sites/${domain}/ini`, body: { content: INI } }),
    ini: () => ({ path: `/api/php/sites/${domain}/ini` }),
  },
  isolation: { unmarked: { info: 'that its domains have no PHP' } },
  unwalked: { info: 'no domain of the demo has a version of PHP' },
  opened: {
    ...{ list: ANY, info: ANY, setVersion: 'php', setOptions: 'php_options', ini: 'php_ini', setIni: 'php_ini' },
  },
  answered: 'home',
  without: { domains: { list: ['.sites[]'], setOptions: 404, setVersion: 404, ini: 404, setIni: 404 } },
  bounded: {
    list: "the account's domains, by its plan",
    ini: 'the directives that may be set',
    setIni: 'the directives that may be set',
    info: 'the modules of PHP',
  },
  examples: {
    invented: {
      info: {
        domain_url: domain,
        version: '8.4',
        sections: [
          { title: 'PHP', rows: [{ name: 'Server API', local: 'FPM/FastCGI', master: null }] },
          { title: 'Core', rows: [{ name: 'max_input_vars', local: '3000', master: '3000' }] },
        ],
      },
    },
  },
  pages: { '/home/php': ['PHP of harbour-cafe.example', 'php.ini of harbour-cafe.example'] },
  accountTables: { php_sites: 'archived' },
};
export default rows;
