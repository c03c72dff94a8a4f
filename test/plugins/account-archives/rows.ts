import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  accountTables: { account_imports: 'of imports that have not ended' },
};
export default rows;
