import type { Actor, Plan, PlanChange } from '../../kernel/identity/accounts/plans.ts';
import type { Limit } from '../../kernel/contract/plan-limits.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Static } from '../../kernel/schema.ts';
import type * as schema from './schema.ts';

export async function listPlans(
  { identity, node }: Host,
  { limit, cursor }: { limit: number; cursor: string },
  locale: string,
): Promise<Static<typeof schema.PlanPage>> {
  const [all, accounts] = await Promise.all([identity.plans.all(), identity.accounts.countByPlan()]);
  const found = [...all.values()].filter(({ name }) => name > cursor);
  const plans = found.slice(0, limit).map(planReply);
  const provided = node.usableFeatures({ features: node.locales.featureNames });
  const limits = node.locales.limits(locale).filter(({ feature }) => feature === '' || provided.includes(feature));
  return {
    plans,
    limits: limits.map(limitReply),
    accounts,
    next_cursor: found.length > limit ? (plans.at(-1)?.name ?? null) : null,
  };
}

export async function createPlan(
  { identity }: Host,
  { name, features = [], ...change }: Static<typeof schema.PlanBody>,
  by: Actor,
): Promise<schema.PlanView> {
  await identity.plans.create(name, change, features, by);
  return showPlan(identity, name);
}

export async function updatePlan(
  { identity }: Host,
  name: string,
  change: PlanChange,
  by: Actor,
): Promise<schema.PlanView> {
  await identity.plans.update(name, change, by);
  return showPlan(identity, name);
}

export async function removePlan(
  { identity }: Host,
  name: string,
  by: Actor,
): Promise<Static<typeof schema.PlanRemoved>> {
  await identity.plans.remove(name, by);
  return { name, deleted: true };
}

export async function setPlanFeature(
  { identity }: Host,
  { name, feature }: { name: string; feature: string },
  on: boolean,
  by: Actor,
): Promise<schema.PlanView> {
  await identity.plans.setFeature(name, feature, on, by);
  return showPlan(identity, name);
}

export async function showPlan({ plans }: Host['identity'], name: string): Promise<schema.PlanView> {
  return planReply(await plans.get(name));
}

const limitReply = ({ name, title, unit, default: value }: Limit) => ({ name, title, unit, default: value });

function planReply(plan: Plan): schema.PlanView {
  return { ...plan, features: [...plan.features].toSorted() };
}
