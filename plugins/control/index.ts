import { fail } from './errors.ts';
import type { NodeInfo } from '../../kernel/contract/node-info.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import * as accounts from './accounts/accounts.ts';
import { listAccounts } from './accounts/account-lists.ts';
import { RecentReports } from './accounts/account-report.ts';
import { Purges } from './accounts/purge.ts';
import { accountRoutes } from './accounts/routes.ts';
import { admin } from './admin-route.ts';
import * as plans from './plans/plans.ts';
import { planRoutes } from './plans/routes.ts';
import * as schema from './schema.ts';

export default definePlugin({
  name: 'control',
  description: 'Accounts, plans and features, for administrators.',
  errors: fail,
  features: [],
  uses: ['fleet'],
  routes: {
    ...accountRoutes,
    ...planRoutes,
    features: admin({
      method: 'GET',
      path: '/api/features',
      summary: 'List all features and the plugins that own them',
      description:
        'In the language of the caller. A feature without a plugin is one of the panel itself, or of other software.',
      reply: schema.FeatureList,
    }),
  },
  setup(host) {
    const reports = new RecentReports(host.gather);
    const { identity, node, onClose } = host;
    const purges = new Purges(host);
    onClose(() => purges.close());
    const by = ({ account, ip }: { account: { username: string }; ip: string }) => ({ username: account.username, ip });
    return {
      handlers: {
        accounts: (call) => listAccounts(host, reports, call),
        createAccount: (call) => accounts.createAccount(host, call, call.body),
        account: async ({ params }) => accounts.accountReply(await identity.accounts.get(params.username)),
        updateAccount: (call) => accounts.updateAccount(host, call, call.body),
        removeAccount: (call) => accounts.removeAccount(host, purges, call),
        suspend: (call) => accounts.suspendAccount(host, call),
        unsuspend: (call) => accounts.unsuspendAccount(host, call),
        password: (call) => accounts.setPassword(host, call, call.body.password),
        sessions: ({ params, query }) => accounts.listSessions(host, params.username, query),
        endSessions: (call) => accounts.endSessions(host, call),
        endSession: (call) => accounts.endSession(host, call),
        usage: async ({ params }) => reports.usageOf(await accounts.snapshot(host, params.username)),
        grant: (call) => accounts.setFeature(host, call, true),
        revoke: (call) => accounts.setFeature(host, call, call.query.inherit ? undefined : false),
        plans: ({ query }) => plans.listPlans(host, query),
        createPlan: (call) => plans.createPlan(host, call.body, by(call)),
        plan: ({ params }) => plans.showPlan(identity, params.name),
        updatePlan: (call) => plans.updatePlan(host, call.params.name, call.body, by(call)),
        removePlan: (call) => plans.removePlan(host, call.params.name, by(call)),
        switchOn: (call) => plans.setPlanFeature(host, call.params, true, by(call)),
        switchOff: (call) => plans.setPlanFeature(host, call.params, false, by(call)),
        features: ({ account }) => ({ features: featureList(node, account.locale) }),
      },
    };
  },
});

function featureList(node: NodeInfo, locale: string) {
  const owners = new Map(
    node.plugins().flatMap((plugin) => plugin.features.map((feature) => [feature, plugin] as const)),
  );
  return node.locales.features(locale).map((feature) => ({
    ...feature,
    plugin: owners.get(feature.name)?.name ?? null,
    state: owners.get(feature.name)?.state ?? null,
  }));
}
