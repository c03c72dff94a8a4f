import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  accountTables: { backup_checks: 'about backups, which stay in their repository' },
};
export default rows;
