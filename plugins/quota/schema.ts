import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

export const QuotaConfig = Type.Object(
  {
    repquota: Type.String({
      minLength: 1,
      default: 'repquota',
      description: "Command that prints the kernel's quotas, from the quota tools 4",
    }),
    setquota: Type.String({
      minLength: 1,
      default: 'setquota',
      description: "Command that sets the kernel's quotas, from the quota tools 4",
    }),
    mounts: Type.Array(Type.String({ pattern: '^/' }), {
      default: [],
      description: 'Mount points with user quotas; empty = those in the mount table',
    }),
    interval_seconds: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 10,
      description: "Maximum age of the kernel's quotas; they are read at this interval while there are requests",
    }),
    du: Type.String({
      minLength: 1,
      default: 'du',
      description: 'Command that measures a folder, from the GNU coreutils',
    }),
    walks: Type.Integer({
      minimum: 1,
      maximum: 64,
      default: 2,
      description: 'Number of folders measured at the same time, at most one per account',
    }),
    walk_seconds: Type.Integer({
      minimum: 1,
      maximum: 86_400,
      default: 300,
      description: 'Time limit for measuring a folder',
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
const LIMITS = "0 = unlimited. From the kernel's quota of the account's files root, otherwise from the plan";

export const DiskInodes = NamedObject('DiskUsage', {
  date: Type.String({ description: 'Time of the reading or measurement, in UTC: YYYY-MM-DD-HH-MM-SS' }),
  measured_at: Type.String({ format: 'date-time', description: 'The same, RFC 3339' }),
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
    description: 'Absolute, as in replies, or relative to the files root; defaults to the files root',
  }),
});

export const Size = NamedObject('FolderSize', {
  size: Type.String({
    description:
      'Disk usage including subfolders, in the format of du -sh: powers of 1024, rounded up, e.g. 3.3G, 1.7M, 0',
  }),
});

const usage = {
  bytes: Type.Integer({ description: 'On disk, with all subfolders' }),
  inodes: Type.Integer({ description: 'Files and folders, with the folder itself' }),
};
export const LargestFolders = NamedObject('LargestFolders', {
  root: Type.String({ description: 'Path of the files root' }),
  path: Type.String({ description: 'Absolute path of the folder' }),
  measured_at: Type.String({ format: 'date-time', description: 'RFC 3339' }),
  stale: Type.Boolean({ description: 'Whether these are figures of before, and new ones are on their way' }),
  ...usage,
  folders: Type.Array(NamedObject('LargeFolder', { name: Type.String(), path: Type.String(), ...usage }), {
    description: 'In no order; without those that no path can name, and the trash',
  }),
});
export type LargestFolders = Static<typeof LargestFolders>;
