import type { Actor, Plan } from '../../kernel/identity/accounts/plans.ts';
import type { PlanLimits } from '../../kernel/identity/accounts/plan-limits.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Static } from '../../kernel/schema.ts';
import type * as schema from './schema.ts';

/** The limits of a new plan where none are given, by the API and by the command line. */
export const NEW_PLAN: PlanLimits = {
  description: '',
  cpu_limit: 0,
  ram_limit_mib: 0,
  disk_limit_mib: 0,
  inodes_limit: 0,
  bandwidth: 0,
  domains_limit: 0,
  names_limit: 500,
  websites_limit: 0,
  db_limit: 0,
  email_limit: 0,
  ftp_limit: 0,
  mysql: '',
  webserver: '',
};

export async function listPlans(
  { identity }: Host,
  { limit, cursor }: { limit: number; cursor: string },
): Promise<Static<typeof schema.PlanPage>> {
  const [all, accounts] = await Promise.all([identity.plans.all(), identity.accounts.countByPlan()]);
  const found = [...all.values()].filter(({ name }) => name > cursor);
  const plans = found.slice(0, limit).map(planReply);
  return { plans, accounts, next_cursor: found.length > limit ? (plans.at(-1)?.name ?? null) : null };
}

export async function createPlan(
  { identity }: Host,
  { name, features = [], ...limits }: Static<typeof schema.PlanBody>,
  by: Actor,
): Promise<schema.PlanView> {
  await identity.plans.create(name, { ...NEW_PLAN, ...limits }, features, by);
  return showPlan(identity, name);
}

export async function updatePlan(
  { identity }: Host,
  name: string,
  limits: Partial<PlanLimits>,
  by: Actor,
): Promise<schema.PlanView> {
  await identity.plans.update(name, limits, by);
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

function planReply(plan: Plan): schema.PlanView {
  return { ...plan, features: [...plan.features].toSorted() };
}
