import { Type } from '../../kernel/schema.ts';

export const MetricsConfig = Type.Object(
  {
    token: Type.String({
      writeOnly: true,
      pattern: '^(.{16,512})?$',
      default: '',
      description:
        'Bearer token for /metrics, and for nothing else; empty = only the tokens of administrators are accepted',
    }),
  },
  { additionalProperties: false },
);
