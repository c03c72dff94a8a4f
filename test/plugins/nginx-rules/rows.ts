import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  // without directives, as there are no nginx and no Caddy
  walk: { set: () => ({ path: '/api/nginx-rules/harbour-cafe.example', body: { rules: '# none yet\n' } }) },
  opened: 'nginx_rules',
  answered: 'home',
  without: { domains: { list: ['.sites[]'], set: 404 } },
  bounded: { list: "one for each of an account's domains, by its plan" },
  isolation: { unmarked: { list: 'the directives of its domains, which it has none of' } },
  pages: { '/home/nginx-rules': ['nginx directives of blog.sunny-garden.example'] },
  accountTables: { nginx_rules: 'archived' },
};
export default rows;
