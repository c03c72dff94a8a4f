import { Type, type Static } from '../../kernel/schema.ts';

export const BackupChecksConfig = Type.Object(
  {
    every_days: Type.Integer({
      minimum: 0,
      maximum: 90,
      default: 7,
      description: 'Days from one check of the backups of an account to the next; 0 = never',
    }),
    sample_mib: Type.Integer({
      minimum: 1,
      maximum: 1_048_576,
      default: 256,
      description: 'MiB of the content of an account that are read for a check, others each time',
    }),
    restored_files: Type.Integer({
      minimum: 0,
      maximum: 1000,
      default: 20,
      description: 'Files of the newest backup, chosen at random, that are restored and compared; 0 = none',
    }),
    restored_mib: Type.Integer({
      minimum: 1,
      maximum: 16_384,
      default: 64,
      description:
        'MiB that the restored files take at most, within what the plan leaves free, until they were compared',
    }),
    check_seconds: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 600,
      description: 'Seconds after which it is looked again for accounts whose check is due',
    }),
  },
  { additionalProperties: false },
);
export type BackupChecksConfig = Static<typeof BackupChecksConfig>;
