import { DEMO_NAME_SERVERS } from '../../../plugins/hosting/demo.ts';
import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  opened: 'info',
  answered: { info: 'home', plan: 'anywhere', ports: 'home' },
  isolation: {
    unmarked: { info: 'the server', plan: 'limits', 'plan.2': 'limits', ports: 'numbers', 'ports.2': 'numbers' },
  },
  homes: { changing: ['info'] },
  pages: { '/home/info': [] },
  measured: ['/api/system/hosting/ports'],
  examples: { surroundings: () => ({ config: { hosting: { name_servers: DEMO_NAME_SERVERS } } }) },
};
export default rows;
