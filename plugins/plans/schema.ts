import { PlanLimits } from '../../kernel/contract/plan-limits.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const closed = { additionalProperties: false } as const;
const Name = Type.String({ minLength: 1, maxLength: 64 });
const NextCursor = Type.Union([Type.String(), Type.Null()], {
  description: 'Cursor of the next page; null on the last one',
});

export const PageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 }),
  cursor: Type.String({ maxLength: 64, default: '', description: 'next_cursor of the previous page' }),
});

const ofFeature = { feature: { ...Name, examples: ['domains'] } };

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

const State = Type.String({
  enum: ['ready', 'degraded', 'unavailable', 'off'],
  description:
    'degraded: it runs, but lacked something outside at the last check, some seconds ago; unavailable: its routes answer 503',
});
const Nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
export const FeatureList = NamedObject('FeatureList', {
  features: Type.Array(
    NamedObject('Feature', {
      name: Type.String(),
      title: Type.String(),
      description: Type.String(),
      link: Type.String(),
      plugin: Nullable('Plugin that owns the feature; null for a feature of the panel itself'),
      state: Type.Union([State, Type.Null()], { description: 'State of that plugin' }),
    }),
  ),
});
