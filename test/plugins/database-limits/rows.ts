import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {};
export default rows;
