import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  unwalked: { thumbnail: 'the demo has no picture' },
  opened: 'filemanager',
  answered: 'home',
  isolation: { unmarked: { thumbnail: 'a picture of the file that it names' } },
};
export default rows;
