import { Type, type Static } from '../../kernel/schema.ts';

export const QuotaConfig = Type.Object(
  {
    repquota: Type.String({
      minLength: 1,
      default: 'repquota',
      description: "Command that prints the kernel's quotas, of the quota tools 4",
    }),
    mounts: Type.Array(Type.String({ pattern: '^/' }), {
      default: [],
      description: 'Mount points with user quotas; those of the mount table when empty',
    }),
    interval_seconds: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 10,
      description: "How old the kernel's quotas may be; they are read that often while somebody asks",
    }),
    du: Type.String({
      minLength: 1,
      default: 'du',
      description: 'Command that measures a folder, of the GNU coreutils',
    }),
    walks: Type.Integer({
      minimum: 1,
      maximum: 64,
      default: 2,
      description: 'Folders that are measured at the same time, one for an account',
    }),
    walk_seconds: Type.Integer({
      minimum: 1,
      maximum: 86_400,
      default: 300,
      description: 'How long measuring a folder may take',
    }),
    measured_seconds: Type.Integer({
      minimum: 1,
      maximum: 86_400,
      default: 60,
      description: 'How long the measured usage of an account is kept, where there is no kernel quota',
    }),
  },
  { additionalProperties: false },
);
export type QuotaConfig = Static<typeof QuotaConfig>;

const Blocks = (what: string) => Type.Integer({ description: `${what} in blocks of 1 KiB` });
const LIMITS = "0 = unlimited. Of the kernel's quota where the account's files root has one, else of the plan";

export const DiskInodes = Type.Object({
  date: Type.String({ description: 'When it was read or measured, in UTC: YYYY-MM-DD-HH-MM-SS' }),
  disk_hard: Blocks(`Hard limit; ${LIMITS};`),
  disk_soft: Blocks(`Soft limit; ${LIMITS};`),
  disk_used: Blocks('Used, rounded up,'),
  inodes_hard: Type.Integer({ description: `Hard limit of files and folders; ${LIMITS}` }),
  inodes_soft: Type.Integer({ description: `Soft limit of files and folders; ${LIMITS}` }),
  inodes_used: Type.Integer({ description: 'Files and folders' }),
});
export type DiskInodes = Static<typeof DiskInodes>;

export const FolderQuery = Type.Object({
  folder: Type.String({
    default: '',
    description: 'Absolute as replies show it, or relative to the files root, which is taken when it is left out',
  }),
});

export const Size = Type.Object({
  size: Type.String({
    description: 'Disk usage with all below it, as du -sh writes it: powers of 1024, rounded up, e.g. 3.3G, 1.7M, 0',
  }),
});
