import { PlanLimits } from '../../../kernel/contract/plan-limits.ts';
import { NamedObject, Type, type Static } from '../../../kernel/schema.ts';
import { closed, Name, NextCursor, ofFeature } from '../schema.ts';

const Features = Type.Array(Type.String(), { description: 'Names from GET /api/features' });
const ofPlan = { name: { ...Name, examples: ['starter'] } };
export const PlanParams = Type.Object(ofPlan);
export const PlanFeatureParams = Type.Object({ ...ofPlan, ...ofFeature });
export const PlanBody = NamedObject(
  'NewPlan',
  { ...Type.Partial(PlanLimits).properties, name: Name, features: Type.Optional(Features) },
  {
    ...closed,
    description: 'Limits that are left out are 0 = unlimited, except names_limit, which is 500',
    examples: [{ name: 'starter', domains_limit: 2, features: ['domains'] }],
  },
);
export const PlanChange = Type.Partial(PlanLimits, {
  ...closed,
  title: 'PlanChange',
  minProperties: 1,
  examples: [{ domains_limit: 3 }],
});
export const PlanView = NamedObject('Plan', { name: Type.String(), ...PlanLimits.properties, features: Features });
export type PlanView = Static<typeof PlanView>;
export const PlanPage = NamedObject('PlanPage', {
  plans: Type.Array(PlanView),
  accounts: Type.Record(Type.String(), Type.Integer(), {
    description: 'Number of accounts by plan; plans without accounts are left out',
  }),
  next_cursor: NextCursor,
});
export const PlanRemoved = NamedObject('PlanRemoved', { name: Type.String(), deleted: Type.Literal(true) });
