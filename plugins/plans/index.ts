import type { NodeInfo } from '../../kernel/contract/node-info.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import * as plans from './plans.ts';
import { planRoutes } from './routes.ts';

export default definePlugin({
  name: 'plans',
  description: 'Plans, their limits and features, for administrators.',
  features: [],
  routes: planRoutes,
  setup(host) {
    const { identity, node } = host;
    const by = ({ account, ip }: { account: { username: string }; ip: string }) => ({ username: account.username, ip });
    return {
      handlers: {
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
