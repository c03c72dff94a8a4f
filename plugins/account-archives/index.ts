import { definePlugin } from '../../kernel/contract/plugin.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';

/** One account as one archive; see `commands.ts`. */
export default definePlugin({
  name: 'account-archives',
  description: 'Accounts that leave for another installation as an archive, and come from one.',
  features: [],
  errors: fail,
  events,
  routes: {},
  setup: () => ({ handlers: {} }),
});
