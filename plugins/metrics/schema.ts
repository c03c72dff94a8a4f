import { Type } from '../../kernel/schema.ts';

export const MetricsConfig = Type.Object(
  {
    token: Type.String({
      pattern: '^(.{16,512})?$',
      default: '',
      description:
        'Opens /metrics and nothing else, as Authorization: Bearer; none when empty. Admin tokens open it always',
    }),
  },
  { additionalProperties: false },
);
