import { definePlugin } from '../../kernel/contract/plugin.ts';
import { pollExaminations } from './examinations.ts';
import { pluginStates } from './plugin-states.ts';
import * as schema from './schema.ts';

/** All routes of this plugin are for administrators, on the admin address. */
const admin = { address: 'admin', access: 'admin' } as const;

export default definePlugin({
  name: 'operations',
  description: 'How a node is run: its plugins, and what they lack.',
  features: [],
  routes: {
    plugins: {
      ...admin,
      method: 'GET',
      path: '/api/plugins',
      at: 'node',
      summary: 'List all plugins and their states',
      description: 'With the reason and a remedy for each that is not ready.',
      query: schema.NodeQuery,
      reply: schema.PluginList,
    },
    doctor: {
      ...admin,
      method: 'GET',
      path: '/api/doctor',
      at: 'node',
      summary: 'Prove that the node and its plugins have what they need, as hostkeep doctor does',
      description:
        'Those who ask at the same time share one examination. After 15 seconds the request is 503 overloaded; ask again, it ' +
        'goes on.',
      query: schema.NodeQuery,
      reply: schema.DoctorReport,
      errors: ['overloaded'],
    },
  },
  setup(host) {
    const { node } = host;
    const examinations = pollExaminations(node);
    return {
      handlers: {
        plugins: pluginStates(host),
        doctor: () => examinations.read(),
      },
    };
  },
});
