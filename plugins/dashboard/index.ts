import { AccountCache } from '../../kernel/concurrency/account-cache.ts';
import type { Account } from '../../kernel/identity/accounts.ts';
import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import type { DashboardPart } from '../../kernel/plugin-api/points/dashboard-part.ts';
import { ready, type Reply } from '../../kernel/plugin-api/reply.ts';
import type { HostingService } from '../hosting/service.ts';
import { dashboardOf } from './dashboard.ts';
import { Dashboard, DashboardConfig } from './schema.ts';

/** How old parts may be that change without an event, such as what is counted in a database server. */
const TTL_MS = 5000;

export default definePlugin({
  name: 'dashboard',
  features: ['dashboard', 'helpers'],
  needs: ['hosting'],
  config: DashboardConfig,
  routes: {
    show: {
      method: 'GET',
      path: '/api/dashboard',
      summary: 'The account at a glance',
      description:
        'New after every change of the account; what changes elsewhere, such as databases, is at most 5 seconds old. A part that cannot be had has its empty value.',
      reply: Dashboard,
    },
  },
  setup({ config, events, gather, node, service, onClose }) {
    const hosting = service<HostingService>('hosting');
    const replies = new AccountCache<Reply>(TTL_MS);
    /** A part that failed stays left out as long as others are kept, so that what is slow does not slow every request. */
    const build = async (account: Account): Promise<Reply> => {
      const parts = await gather('dashboard', account);
      const merged: DashboardPart = Object.assign({}, ...parts.map((part) => (part.ok ? part.value : {})));
      return ready(dashboardOf(account, merged, config, hosting, node.features()));
    };
    onClose(
      events.listen(({ account_id: id }) => {
        if (id !== null) replies.drop(id);
      }),
    );
    return { handlers: { show: ({ account }) => replies.get(account, '', () => build(account)) } };
  },
});
