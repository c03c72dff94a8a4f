import { NamedObject, Type } from '../../kernel/schema.ts';

export const closed = { additionalProperties: false } as const;
export const Name = Type.String({ minLength: 1, maxLength: 64 });
export const Time = Type.String({ format: 'date-time', description: 'RFC 3339, UTC' });
export const NextCursor = Type.Union([Type.String(), Type.Null()], {
  description: 'Cursor of the next page; null on the last one',
});

export const PageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 }),
  cursor: Type.String({ maxLength: 64, default: '', description: 'next_cursor of the previous page' }),
});

export const ofFeature = { feature: { ...Name, examples: ['domains'] } };

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
