import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = { accountTables: { database_limit_notices: 'told again by what is measured' } };
export default rows;
