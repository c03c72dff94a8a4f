import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  opened: 'guest',
  answered: 'anywhere',
  pages: { '/home/docs#operation=domains.add': [], '/console/docs#operation=events.list': [] },
};
export default rows;
