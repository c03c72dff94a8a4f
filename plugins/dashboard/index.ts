import { AccountCache } from '../../kernel/kit/waiting/account-cache.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { ready, type Reply } from '../../kernel/contract/reply.ts';
import { buildDashboard } from './dashboard.ts';
import { withExamples } from './demo.ts';
import { LastParts } from './last-parts.ts';
import { Dashboard, DashboardConfig } from './schema.ts';

/** Maximum age of parts that change without an event, such as the number of databases. */
const TTL_MS = 5000;

export default definePlugin({
  name: 'dashboard',
  description: 'The overview of the account.',
  features: ['dashboard', 'helpers'],
  config: DashboardConfig,
  routes: {
    show: {
      method: 'GET',
      path: '/api/dashboard',
      at: 'home',
      summary: 'Get an overview of the account',
      description:
        'Updated after every change of the account; data from other sources, such as the number of databases, is ' +
        'at most 5 seconds old. What a source in `stale` supplies is as it was known last, or empty.',
      reply: Dashboard,
    },
  },
  setup({ config: given, events, gather, node, onClose }) {
    const config = node.isDemo ? withExamples(given) : given;
    const replies = new AccountCache<Reply>(TTL_MS);
    const lastParts = new LastParts();
    /** A failed part stays as it is until the reply expires, so that a slow provider does not delay every request. */
    const build = async (account: Account): Promise<Reply> => {
      const parts = await gather('dashboard', account);
      const { part, stale } = lastParts.merge(account.id, parts);
      return ready({ ...buildDashboard(account, part, config, node.usableFeatures(account)), stale });
    };
    onClose(
      events.listen(({ account_id: id }) => {
        if (id !== null) replies.drop(id);
      }),
    );
    return { handlers: { show: ({ account }) => replies.get(account, '', () => build(account)) } };
  },
});
