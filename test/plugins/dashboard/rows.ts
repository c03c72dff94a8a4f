import { withExamples } from '../../../plugins/dashboard/demo.ts';
import type { PluginRows } from '../../support/plugin-rows.ts';
import { until } from '../../support/until.ts';

const rows: PluginRows = {
  walk: {
    show: async ({ server, people }) => {
      const token = await server.token(people.demo);
      const late = async () => (await server.ask<{ stale: string[] }>('/api/dashboard', { token })).body.stale.length;
      await until('no part is late', async () => (await late()) === 0); // on a busy machine, one may be
      return {};
    },
  },
  opened: 'dashboard',
  answered: 'home',
  without: {
    domains: { show: ['.domains[]', '.maindomains[]', '.subdomains[]', '.user_websites[]'] },
    websites: { show: ['.user_websites[]'] },
  },
  bounded: { show: 'names of an account, by its plan, and folders searched below each' },
  pages: { '/home': ['Settings of demo', 'Keyboard shortcuts'] },
  examples: {
    // as in the demo, which the recording is not, because it would use what is installed here
    surroundings: () => ({
      config: {
        dashboard: withExamples({
          title: 'Hostkeep',
          custom_message: null,
          how_to_guides: true,
          how_to_topics: [],
          knowledge_base_link: '',
        }),
      },
    }),
  },
};
export default rows;
