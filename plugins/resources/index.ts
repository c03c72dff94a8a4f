import { problemFinding } from '../../kernel/contract/points/finding.ts';
import { definePlugin, type Host } from '../../kernel/contract/plugin.ts';
import { eventWakers, SUSPENSIONS } from '../../kernel/contract/workers.ts';
import { startReconciling } from '../../kernel/kit/waiting/reconciling.ts';
import { findings } from './doctor.ts';
import { events } from './events.ts';
import { Notices } from './keeping/notices.ts';
import { PlanLimits } from './keeping/plan-limits.ts';
import privileged, { type ResourcesVerbs } from './privileged.ts';
import { Readings, toUsage } from './readings.ts';
import { Resources, ResourcesConfig } from './schema.ts';

/** How soon an account is told that it met a limit. */
const LOOK_MS = 15_000;
/** How soon what other processes changed, such as the command line, is seen. */
const KEEP_MS = 60_000;
const CHANGES = new Set([
  ...['account.created', 'account.changed', 'account.moved', 'account.removed', 'plan.changed'],
  ...SUSPENSIONS,
]);

export default definePlugin({
  name: 'resources',
  description: 'Memory, processor time, processes and disk traffic of the account.',
  features: ['resources'],
  config: ResourcesConfig,
  routes: {
    show: {
      method: 'GET',
      path: '/api/resources',
      at: 'home',
      summary: 'Get what all processes of the account take, and may take',
      description:
        'Sites, services and work on files together. Containers count apart. The system keeps them within the limits where is_kept.',
      reply: Resources,
    },
  },
  events,
  setup(host) {
    const { config, node, onClose } = host;
    const verbs = node.privileged(privileged, config);
    const readings = new Readings(verbs);
    onClose(() => readings.close());
    let problem: () => string | undefined = () => undefined;
    if (node.isServing) void node.onLeader(() => void (problem = keep(host, verbs)));
    return {
      handlers: { show: ({ account }) => readings.of(account) },
      provides: {
        accountReport: async (account) => ({ usage: toUsage(await readings.of(account)) }),
        accountsUsage: (accounts) => readings.ofMany(accounts),
        purge: async ({ id }) => [{ what: 'processes', removed: (await verbs.end(id)) ? 1 : 0 }],
        doctor: () => findings(verbs),
        health: () => problemFinding('limits of accounts', problem()),
      },
    };
  },
});

/** Keeps accounts within their plans where the machine can, and tells those that meet a limit. */
function keep(host: Host, verbs: ResourcesVerbs): () => string | undefined {
  const [limits, notices] = [new PlanLimits(host, verbs), new Notices(host)];
  const wakers = eventWakers(host, CHANGES);
  startReconciling({ ...host, wakers: [], everyMs: LOOK_MS, subject: 'accounts at their limits' }, async () =>
    notices.look((await verbs.figures(null)).groups),
  );
  return startReconciling({ ...host, wakers, everyMs: KEEP_MS, subject: 'limits of accounts' }, async (attempt) => {
    if ((await verbs.figures(null)).problem === null) await limits.reconcile(attempt);
  });
}
