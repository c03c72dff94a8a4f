import type { RouteSpecs } from '../../kernel/contract/route-spec.ts';
import * as schema from './schema.ts';

const admin = { address: 'admin', access: 'admin' } as const;
const PLAN = '/api/plans/:name';

const UPDATE_PLAN = {
  ...admin,
  method: 'PATCH',
  path: PLAN,
  summary: 'Change limits of a plan, effective from the next request',
  description: 'Members that are left out stay as they are. What an account has beyond a lower limit stays.',
  params: schema.PlanParams,
  body: schema.PlanChange,
  reply: schema.PlanView,
  errors: ['plan_not_found'],
} as const;

/** Plans, and the features that they grant. */
export const planRoutes = {
  plans: {
    ...admin,
    method: 'GET',
    path: '/api/plans',
    summary: 'List the plans by name',
    description: 'With limits and features of each; a limit of 0 is none.',
    query: schema.PageQuery,
    reply: schema.PlanPage,
  },
  createPlan: {
    ...admin,
    method: 'POST',
    path: '/api/plans',
    summary: 'Create a plan',
    description: 'Without limits and features, except for what the request names.',
    idempotencyKey: 'kept',
    body: schema.PlanBody,
    reply: schema.PlanView,
    status: 201,
    errors: ['plan_exists'],
  },
  plan: {
    ...admin,
    method: 'GET',
    path: PLAN,
    summary: 'Get a plan',
    description: 'Limits and features; a limit of 0 is none.',
    params: schema.PlanParams,
    reply: schema.PlanView,
    errors: ['plan_not_found'],
  },
  updatePlan: UPDATE_PLAN,
  removePlan: {
    ...admin,
    method: 'DELETE',
    path: PLAN,
    summary: 'Remove a plan that no account uses',
    description: 'A plan that accounts have is refused; give them another one first.',
    params: schema.PlanParams,
    reply: schema.PlanRemoved,
    errors: ['plan_not_found', 'plan_in_use'],
  },
  switchOn: {
    ...admin,
    method: 'PUT',
    path: `${PLAN}/features/:feature`,
    summary: 'Turn on a feature for all accounts of a plan',
    description:
      'Takes effect with the next request, except for accounts from which it was revoked. `warning` says if nothing ' +
      'provides the feature.',
    params: schema.PlanFeatureParams,
    reply: schema.PlanSwitched,
    errors: ['plan_not_found'],
  },
  switchOff: {
    ...admin,
    method: 'DELETE',
    path: `${PLAN}/features/:feature`,
    summary: 'Turn off a feature for all accounts of a plan',
    description: 'Takes effect with the next request, except for accounts to which it was granted.',
    params: schema.PlanFeatureParams,
    reply: schema.PlanView,
    errors: ['plan_not_found'],
  },
  features: {
    ...admin,
    method: 'GET',
    path: '/api/features',
    summary: 'List all features and the plugins that own them',
    description:
      'In the language of the caller. A feature without a plugin is one of the panel itself, or of other software.',
    reply: schema.FeatureList,
  },
} as const satisfies RouteSpecs;
