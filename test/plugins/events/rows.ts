import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = { answered: 'anywhere', pages: { '/console/events': ['Show event 1'] } };
export default rows;
