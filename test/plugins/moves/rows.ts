import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  accountTables: { moves: 'of moves within a fleet' },
};
export default rows;
