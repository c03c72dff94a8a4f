import { LISTED_TASKS, taskMembers } from '../../kernel/areas/tasks/task-schema.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const WHEN = ['off', 'daily', 'weekly'];
const PlanSchedule = Type.Unsafe<'off' | 'daily' | 'weekly'>(Type.String({ enum: WHEN }));

export const BackupsConfig = Type.Object(
  {
    default_schedule: Type.Unsafe<'off' | 'daily' | 'weekly'>(
      Type.String({
        enum: WHEN,
        default: 'daily',
        description: 'When accounts are backed up that chose nothing, each at a time of the night of its own',
      }),
    ),
    plan_schedules: Type.Record(Type.String(), PlanSchedule, {
      default: {},
      description: 'The same for the accounts of some plans, by the name of the plan',
    }),
    program: Type.String({
      minLength: 1,
      default: 'restic',
      description: 'The program that makes backups: a name in the path of the system, or an absolute path',
    }),
    parallel: Type.Integer({
      minimum: 1,
      maximum: 64,
      default: 2,
      description: 'Accounts that are backed up or restored at a time',
    }),
    memory_mib: Type.Integer({
      minimum: 256,
      maximum: 16_384,
      default: 1024,
      description: 'MiB of memory that restic may take for one account',
    }),
    reserve_mib: Type.Integer({
      minimum: 0,
      maximum: 1_048_576,
      default: 1024,
      description: 'MiB that backups leave free in the data folder',
    }),
    max_entries: Type.Integer({
      minimum: 1,
      maximum: 10_000_000,
      default: 200_000,
      description: 'Maximum number of entries of one folder that are read for a reply',
    }),
    check_seconds: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 60,
      description: 'Seconds after which schedules are looked at again',
    }),
    retry_seconds: Type.Integer({
      minimum: 1,
      maximum: 86_400,
      default: 3600,
      description:
        'Seconds from a backup that fails to the next try, until the account has one since its schedule was due',
    }),
    stall_seconds: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 600,
      description: 'Seconds after which a backup that makes no progress is ended',
    }),
  },
  { additionalProperties: false },
);
export type BackupsConfig = Static<typeof BackupsConfig>;

const Nullable = Type.Union([Type.String(), Type.Null()]);
const Id = Type.String({ maxLength: 64 });
export const BackupParams = Type.Object({ id: Id });
const Engine = Type.String({ maxLength: 32, description: 'The kind of its server: mariadb, postgresql' });
const DatabaseName = Type.String({ minLength: 1, maxLength: 64 });
export const IntoDatabase = Type.Object({
  into: Type.String({
    maxLength: 64,
    default: '',
    description: 'Another database of the same engine; empty for its own',
  }),
});
export const DatabaseParams = Type.Object({ id: Id, engine: Engine, database: DatabaseName });

export const Backup = NamedObject('Backup', {
  id: Id,
  created_at: Type.String({ description: 'RFC 3339' }),
  files: Type.Integer(),
  size_bytes: Type.Integer({ description: 'Of all files' }),
  added_bytes: Type.Integer({ description: 'That were added to the repository' }),
  left_out: Type.Integer({ description: 'Files, databases and settings that could not be read, and are not in it' }),
  is_scheduled: Type.Boolean(),
});
export type Backup = Static<typeof Backup>;

const schedule = {
  weekday: Type.Integer({ minimum: 0, maximum: 6, description: 'Of a weekly schedule; 0 is Sunday' }),
  hour: Type.Integer({ minimum: 0, maximum: 23, description: 'By the clock of the server; the minute is its choice' }),
  kept: Type.Integer({ minimum: 0, maximum: 1000, description: 'Backups to keep; 0 for what the plan allows' }),
};
export const BackupSchedule = NamedObject('BackupSchedule', {
  ...schedule,
  schedule: Type.String({ enum: WHEN }),
  is_by_plan: Type.Boolean({ description: 'Whether the plan says so, because the account has not chosen it' }),
  plan_schedule: Type.String({ enum: WHEN, description: 'What the plan says' }),
  next_at: Type.Union([Type.String(), Type.Null()], { description: 'When the next one is due, RFC 3339' }),
});
export type BackupSchedule = Static<typeof BackupSchedule>;
const Chosen = Type.String({
  enum: ['plan', ...WHEN],
  description: 'plan: what the plan says, also once that changes',
});
export const ScheduleChange = Type.Partial(Type.Object({ ...schedule, schedule: Chosen }), {
  title: 'BackupScheduleChange',
  examples: [{ schedule: 'daily', hour: 3 }],
});

export const Backups = NamedObject('Backups', {
  backups: Type.Array(Backup, { description: 'Newest first' }),
  schedule: BackupSchedule,
  repository_bytes: Type.Integer({ description: 'What all of them take together, compressed and each content once' }),
  limit_bytes: Type.Integer({ description: 'Of repository_bytes; 0 for none' }),
  kept_limit: Type.Integer({ description: 'Backups that the plan keeps; 0 for any number' }),
});

const BackupDatabase = NamedObject('BackupDatabase', {
  engine: Engine,
  name: Type.String({ description: 'Empty for all that such a server has, if it did not name them' }),
  size_bytes: Type.Integer({ description: 'Of the dump' }),
  problem: Type.Union([Type.String(), Type.Null()], {
    description: 'Why the backup does not have it; null if it does',
  }),
});
export const BackupDatabases = NamedObject('BackupDatabases', { databases: Type.Array(BackupDatabase) });

export const EntriesQuery = Type.Object({
  path: Type.String({ maxLength: 4096, default: '', description: 'A folder; empty for the root' }),
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 200 }),
  cursor: Type.String({ pattern: '^\\d{0,8}$', default: '', description: 'next_cursor of the page before' }),
});
export const BackupEntry = NamedObject('BackupEntry', {
  name: Type.String(),
  kind: Type.String({ enum: ['file', 'folder', 'link', 'other'] }),
  size_bytes: Type.Integer({ description: 'Of a file; 0 for all else' }),
  mode: Type.String({ description: 'Permissions, octal: 0644' }),
  modified_at: Type.String({ description: 'RFC 3339' }),
});
export type BackupEntry = Static<typeof BackupEntry>;
export const BackupEntries = NamedObject('BackupEntries', {
  path: Type.String({ description: 'Absolute path of the folder' }),
  entries: Type.Array(BackupEntry, { description: 'Folders first; names that no request can hold are left out' }),
  total: Type.Integer({ description: 'Entries of the folder' }),
  next_cursor: Nullable,
});
export const FileQuery = Type.Object({
  path: Type.String({ maxLength: 4096, description: 'A file, relative to the files root or absolute as in replies' }),
});
export const Restoring = Type.Object(
  {
    path: Type.String({ maxLength: 4096, default: '', description: 'A file or folder; empty for all' }),
    to: Type.Union([Type.String({ maxLength: 4096 }), Type.Null()], {
      default: null,
      description:
        'A path that nothing has; null to put all in its place again: files that are there are replaced, and those that the ' +
        'backup does not have stay',
    }),
  },
  { title: 'BackupRestoring', examples: [{ path: 'site/index.html', to: null }] },
);

export const BackupTask = NamedObject(
  'BackupTask',
  taskMembers(['backup', 'restore', 'clean'], {
    kind: 'clean frees what only removed backups had',
    path: 'What is backed up or restored: an absolute path, the name of a database, or settings',
    files: 'Files, folders and databases so far',
    size_bytes: 'Their content so far; while files are restored, what was read of the repository',
    left_out: 'What could not be read or restored; of settings, the detail of the task says more',
  }),
);
export type BackupTask = Static<typeof BackupTask>;
export const BackupTasks = NamedObject('BackupTasks', {
  tasks: Type.Array(BackupTask, { description: LISTED_TASKS }),
});
