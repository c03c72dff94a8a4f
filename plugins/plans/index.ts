import { warnIfUnprovided, type NodeInfo } from '../../kernel/contract/node-info.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { readersLanguage } from '../../kernel/contract/route-spec.ts';
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
        plans: (call) => plans.listPlans(host, call.query, readersLanguage(call, node.locales)),
        createPlan: (call) => plans.createPlan(host, call.body, by(call)),
        plan: ({ params }) => plans.showPlan(identity, params.name),
        updatePlan: (call) => plans.updatePlan(host, call.params.name, call.body, by(call)),
        removePlan: (call) => plans.removePlan(host, call.params.name, by(call)),
        switchOn: async (call) => ({
          ...(await plans.setPlanFeature(host, call.params, true, by(call))),
          warning: warnIfUnprovided(node, call.params.feature),
        }),
        switchOff: (call) => plans.setPlanFeature(host, call.params, false, by(call)),
        features: async (call) => ({ features: await featureList(node, readersLanguage(call, node.locales)) }),
      },
    };
  },
});

async function featureList(node: NodeInfo, locale: string) {
  const owners = new Map(
    node.plugins().flatMap((plugin) => plugin.features.map((feature) => [feature, plugin] as const)),
  );
  const all = await node.features(locale);
  const usable = new Set(node.usableFeatures({ features: new Set(all.map(({ name }) => name)) }));
  return all.map((feature) => ({
    ...feature,
    plugin: owners.get(feature.name)?.name ?? null,
    state: owners.get(feature.name)?.state ?? null,
    provided: owners.has(feature.name) || usable.has(feature.name),
  }));
}
