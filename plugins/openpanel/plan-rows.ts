import type { Given, Row, Step } from './row.ts';
import { LIMITS, mib, number, plan, planNamed } from './shapes.ts';

const PLANS: Step = { calls: 'GET /api/plans', pages: 'plans' };
const byId: Step['params'] = ({ plan_id: id }, [plans]) => ({ name: planNamed(plans, id) });
/** The last three have no counterpart: they are accepted and count for nothing. */
const MEMBERS = [
  ...['description', ...LIMITS, 'disk_limit', 'cpu', 'ram'],
  ...['max_email_quota', 'max_hourly_email', 'feature_set'],
];

/** Limits that are not given are left out, because a plan has no limit `undefined`. */
const planChange = ({ description, disk_limit, cpu, ram, ...given }: Given) => {
  const limits = {
    ...Object.fromEntries(LIMITS.map((name) => [name, number(given[name])])),
    disk_limit_mib: disk_limit === undefined ? undefined : mib(disk_limit),
    ram_limit_mib: ram === undefined ? undefined : mib(ram),
    cpu_limit: number(cpu),
  };
  const named = Object.entries(limits).filter(([, value]) => value !== undefined);
  return { description, ...(named.length > 0 && { limits: Object.fromEntries(named) }) };
};

/** A plan keeps its name for life: another one is left for the operation to refuse. */
const change = (is: string): Row => ({
  is,
  isTaken: true,
  takes: ['name', ...MEMBERS],
  steps: [
    PLANS,
    {
      calls: 'PATCH /api/plans/:name',
      params: byId,
      body: (given, [plans]) => ({
        ...planChange(given),
        name: given['name'] === planNamed(plans, given['plan_id']) ? undefined : given['name'],
      }),
    },
  ],
  reply: ([, { name }]) => ({ success: true, message: `Successfully changed the plan ${name}` }),
});

/** The plans of OpenPanel, which have numbers. The paths are ours, with names. */
export const planRows: readonly Row[] = [
  { is: 'GET /api/plans', isTaken: true, steps: [PLANS], reply: ([plans]) => ({ plans: plans.map(plan) }) },
  {
    is: 'POST /api/plans',
    isTaken: true,
    takes: ['name!', ...MEMBERS],
    status: 201,
    steps: [{ calls: 'POST /api/plans', body: (given) => ({ ...planChange(given), name: given['name'] }) }],
    reply: ([{ name }]) => ({ success: true, message: `Successfully created the plan ${name}` }),
  },
  {
    is: 'GET /api/plans/:plan_id',
    isTaken: true,
    steps: [PLANS, { calls: 'GET /api/plans/:name', params: byId }],
    reply: ([, its]) => ({ plan: plan(its) }),
  },
  change('PUT /api/plans/:plan_id'),
  change('PATCH /api/plans/:plan_id'),
  {
    is: 'DELETE /api/plans/:plan_id',
    isTaken: true,
    steps: [PLANS, { calls: 'DELETE /api/plans/:name', params: byId }],
    reply: ([, { name }]) => ({ success: true, message: `Successfully removed the plan ${name}`, output: '' }),
  },
];
