import { featureWarning } from '../../kernel/contract/node-info.ts';
import { PlanLimits } from '../../kernel/contract/plan-limits.ts';
import { NextCursor } from '../../kernel/kit/position.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const closed = { additionalProperties: false } as const;
const Name = Type.String({ minLength: 1, maxLength: 64 });

export const PageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 }),
  cursor: Type.String({ maxLength: 64, default: '', description: 'next_cursor of the previous page' }),
});

const ofFeature = { feature: { ...Name, examples: ['domains'] } };

const Features = Type.Array(Type.String(), { description: 'Names from GET /api/features' });
const ofPlan = { name: { ...Name, examples: ['starter'] } };
export const PlanParams = Type.Object(ofPlan);
export const PlanFeatureParams = Type.Object({ ...ofPlan, ...ofFeature });
const change = {
  description: Type.Optional(Type.String({ maxLength: 255, description: 'What the plan is for, in a few words' })),
  limits: Type.Optional(PlanLimits),
};
export const PlanBody = NamedObject(
  'NewPlan',
  { name: Name, ...change, features: Type.Optional(Features) },
  {
    ...closed,
    description: 'Limits that are left out have their defaults, which GET /api/plans lists',
    examples: [{ name: 'starter', limits: { domains_limit: 2 }, features: ['domains'] }],
  },
);
export const PlanChange = NamedObject('PlanChange', change, {
  ...closed,
  minProperties: 1,
  examples: [{ limits: { domains_limit: 3 } }],
});
export const PlanView = NamedObject('Plan', {
  name: Type.String(),
  description: Type.String(),
  limits: Type.Record(Type.String(), Type.Number(), { description: 'Value of each limit; 0 is unlimited' }),
  features: Features,
});
export type PlanView = Static<typeof PlanView>;
export const PlanSwitched = NamedObject('PlanSwitched', { ...PlanView.properties, ...featureWarning });
const PlanLimit = NamedObject('PlanLimit', {
  name: Type.String(),
  title: Type.String({ description: 'In the language of the caller' }),
  unit: Type.String({ description: 'MiB or Mbit/s; empty for what is counted' }),
  default: Type.Number({ description: 'Value in plans that do not set it' }),
});
export const PlanPage = NamedObject('PlanPage', {
  plans: Type.Array(PlanView),
  limits: Type.Array(PlanLimit, {
    description: 'Limits that plans have, except those of features that neither a plugin nor other software provides',
  }),
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
      provided: Type.Boolean({ description: 'Whether a plugin owns it, or `external_features` names it' }),
    }),
  ),
});
