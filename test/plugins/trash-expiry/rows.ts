import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  accountTables: { looked_trashes: 'about the trash, which is looked at again' },
};
export default rows;
