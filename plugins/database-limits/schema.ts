import { Type } from '../../kernel/schema.ts';

export const DatabaseLimitsConfig = Type.Object(
  {
    look_seconds: Type.Number({
      default: 15,
      minimum: 0.1,
      maximum: 3600,
      description: 'How often the databases of accounts with a limit are measured',
    }),
  },
  { additionalProperties: false },
);
