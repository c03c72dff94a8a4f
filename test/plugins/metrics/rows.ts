import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = { opened: 'guest', answered: 'anywhere' };
export default rows;
