import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { DatabaseServers, LimitedDatabases } from '../../kernel/contract/points/database-servers.ts';
import { eventWakers } from '../../kernel/contract/workers.ts';
import { startReconciling } from '../../kernel/kit/waiting/reconciling.ts';
import { DatabaseLimits } from './database-limits.ts';
import { events } from './events.ts';
import { DatabaseLimitsConfig } from './schema.ts';

/** How soon those who have made room write again. */
const STOPPED_MS = 5000;
const PLANS = new Set(['account.created', 'account.changed', 'account.moved', 'plan.changed']);
/** After them there may be room again. */
const SHRINKS = ['database.dropped', 'database.optimized'];

export default definePlugin({
  name: 'database-limits',
  description: 'Keeps databases on servers of MariaDB within the size that the plan allows.',
  features: [],
  events,
  uses: ['databases', 'mysql'],
  config: DatabaseLimitsConfig,
  routes: {},
  async setup(host) {
    const [servers, databases] = [host.peer<DatabaseServers>('databases'), host.peer<LimitedDatabases>('mysql')];
    if (servers === undefined || databases === undefined) return { handlers: {} };
    const limits = new DatabaseLimits({ ...host, servers, databases });
    if (host.node.isServing)
      await host.node.onLeader(() => {
        let dueAt = 0;
        const hurry = host.events.listen(({ type }) => {
          if (PLANS.has(type)) dueAt = 0;
        });
        host.onClose(hurry);
        const lookMs = host.config.look_seconds * 1000;
        const wakers = eventWakers(host, new Set([...PLANS, ...SHRINKS]));
        const reconciling = { ...host, wakers, everyMs: Math.min(STOPPED_MS, lookMs), subject: 'sizes of databases' };
        startReconciling(reconciling, async (attempt) => {
          const isDue = performance.now() >= dueAt;
          if (isDue) dueAt = performance.now() + lookMs;
          await limits.reconcile(attempt, isDue);
        });
      });
    return {
      handlers: {},
      provides: {
        accountReport: async (account) => ({ usage: (await limits.usage([account])).get(account.id) ?? [] }),
        accountsUsage: (accounts) => limits.usage(accounts),
      },
    };
  },
});
