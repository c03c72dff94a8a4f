import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { LimitedDatabases } from '../../kernel/areas/database-servers.ts';
import { eventWakers } from '../../kernel/contract/workers.ts';
import { startReconciling } from '../../kernel/kit/waiting/reconciling.ts';
import { DatabaseLimits, KINDS } from './database-limits.ts';
import { events } from './events.ts';
import { DatabaseLimitsConfig } from './schema.ts';

/** How soon those who have made room write again. */
const STOPPED_MS = 5000;
const PLANS = new Set(['account.created', 'account.changed', 'account.moved', 'plan.changed']);
/** After them there may be room again. */
const SHRINKS = [
  ...['database.dropped', 'database.optimized'],
  ...['postgresql.database_dropped', 'postgresql.database_optimized'],
];

export default definePlugin({
  name: 'database-limits',
  description: 'Keeps databases on servers of MariaDB and PostgreSQL within the size that the plan allows.',
  features: [],
  events,
  uses: KINDS.map(({ plugin }) => plugin),
  config: DatabaseLimitsConfig,
  routes: {},
  async setup(host) {
    const kinds = KINDS.flatMap((kind) => {
      const databases = host.peer<LimitedDatabases>(kind.plugin);
      return databases === undefined ? [] : [{ ...kind, databases }];
    });
    if (kinds.length === 0) return { handlers: {} };
    const limits = new DatabaseLimits({ ...host, kinds });
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
