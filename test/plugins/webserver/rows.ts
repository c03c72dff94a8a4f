import { join } from 'node:path';
import { removeLeftovers } from '../../../kernel/kit/files/atomic-file.ts';
import { VhostFolder } from '../../../plugins/webserver/vhosts/vhost-folder.ts';
import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  writer: {
    open: async (folder) => {
      const vhosts = new VhostFolder(join(folder, 'vhosts'));
      await vhosts.make();
      return (n) => vhosts.put(`site-${n % 20}.conf`, `${n} `.repeat(5000));
    },
    assertWhole: async (folder) => {
      const vhosts = new VhostFolder(join(folder, 'vhosts'));
      removeLeftovers(vhosts.path); // as the next start does
      for (const name of await vhosts.names()) {
        const text = (await vhosts.read(name)) ?? '';
        if (text !== `${text.split(' ')[0]} `.repeat(5000)) throw new Error(`the virtual host ${name} is incomplete`);
      }
    },
  },
};
export default rows;
