import type { Actor, Plan, PlanLimits } from '../../kernel/plans.ts';
import type { Host } from '../../kernel/plugin.ts';
import type { Static } from '../../kernel/schema.ts';
import type * as schema from './schema.ts';

const UNLIMITED: PlanLimits = {
  description: '',
  cpu_limit: 0,
  ram_limit_mib: 0,
  disk_limit_mib: 0,
  inodes_limit: 0,
  bandwidth: 0,
  domains_limit: 0,
  websites_limit: 0,
  db_limit: 0,
  email_limit: 0,
  ftp_limit: 0,
  mysql: '',
  webserver: '',
};

export async function listPlans(
  { directory }: Host,
  { limit, cursor }: { limit: number; cursor: string },
): Promise<Static<typeof schema.PlanPage>> {
  const found = [...(await directory.plans.all()).values()].filter(({ name }) => name > cursor);
  const plans = found.slice(0, limit).map(planReply);
  return { plans, next_cursor: found.length > limit ? (plans.at(-1)?.name ?? null) : null };
}

export async function createPlan(
  { directory }: Host,
  { name, features = [], ...limits }: Static<typeof schema.PlanBody>,
  by: Actor,
): Promise<schema.Plan> {
  await directory.plans.create(name, { ...UNLIMITED, ...limits }, features, by);
  return showPlan(directory, name);
}

export async function updatePlan(
  { directory }: Host,
  name: string,
  limits: Partial<PlanLimits>,
  by: Actor,
): Promise<schema.Plan> {
  await directory.plans.update(name, limits, by);
  return showPlan(directory, name);
}

export async function removePlan(
  { directory }: Host,
  name: string,
  by: Actor,
): Promise<Static<typeof schema.PlanRemoved>> {
  await directory.plans.remove(name, by);
  return { name, deleted: true };
}

export async function setPlanFeature(
  { directory }: Host,
  { name, feature }: { name: string; feature: string },
  on: boolean,
  by: Actor,
): Promise<schema.Plan> {
  await directory.plans.setFeature(name, feature, on, by);
  return showPlan(directory, name);
}

export async function showPlan({ plans }: Host['directory'], name: string): Promise<schema.Plan> {
  return planReply(await plans.get(name));
}

function planReply(plan: Plan): schema.Plan {
  return { ...plan, features: [...plan.features].toSorted() };
}
