import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = { answered: 'anywhere' };
export default rows;
