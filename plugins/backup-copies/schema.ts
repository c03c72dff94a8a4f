import { taskMembers } from '../../kernel/areas/tasks/task-schema.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

export const BackupCopiesConfig = Type.Object(
  {
    remote: Type.String({
      maxLength: 1000,
      default: '',
      description:
        'Where copies go, as rclone names it: a remote of its configuration and a folder, such as offsite:hostkeep/node1, which no other ' +
        'installation uses; empty for nowhere',
    }),
    config_file: Type.String({
      minLength: 1,
      maxLength: 4096,
      default: '/etc/hostkeep/rclone.conf',
      description: 'The configuration of rclone, which holds what opens the remote',
    }),
    program: Type.String({
      minLength: 1,
      default: 'rclone',
      description: 'The program that copies: a name in the path of the system, or an absolute path',
    }),
    bandwidth_kib: Type.Integer({
      minimum: 0,
      maximum: 100_000_000,
      default: 0,
      description: 'KiB a second that copies take at most; 0 = unlimited',
    }),
    removed_days: Type.Integer({
      minimum: 0,
      maximum: 3650,
      default: 30,
      description:
        'Days for which the last copy of an account stays that is removed, has moved away, or has begun a new repository',
    }),
    check_seconds: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 600,
      description:
        'Seconds after which it is looked again for accounts that have a new backup, or no copy of the last day',
    }),
    timeout_seconds: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 300,
      description: 'Seconds for which the remote may be silent',
    }),
  },
  { additionalProperties: false },
);
export type BackupCopiesConfig = Static<typeof BackupCopiesConfig>;

const Time = Type.Union([Type.String(), Type.Null()]);
const username = Type.String({ maxLength: 64 });
const name = Type.String({
  maxLength: 200,
  description: 'User name, id of the account, and which repository it is of',
});
export const NodeQuery = Type.Object({
  node: Type.Optional(Type.String({ maxLength: 63, description: 'Another node of the fleet' })),
});
export const AccountParams = Type.Object({ username });
export const TaskParams = Type.Object({ username, id: Type.String({ maxLength: 64 }) });

const copied = {
  copied_at: Type.Union(Time.anyOf, {
    description: 'When the last copy was complete, RFC 3339; null before the first',
  }),
  newest_at: Type.Union(Time.anyOf, { description: 'When the newest backup in it was made, RFC 3339' }),
  backups: Type.Integer({ description: 'Backups in it' }),
};
export const OwnBackupCopy = NamedObject('OwnBackupCopy', copied);
export const BackupCopy = NamedObject('BackupCopy', {
  username,
  ...copied,
  problem: Type.Union([Type.String(), Type.Null()], { description: 'Why the last try failed' }),
});
export type BackupCopy = Static<typeof BackupCopy>;
export const BackupCopyList = NamedObject('BackupCopyList', {
  remote: Type.String({ description: 'Where the copies are; empty for nowhere' }),
  copies: Type.Array(BackupCopy, { description: 'Those that failed, then the oldest first; at most 1000' }),
});
export const StoredCopies = NamedObject('StoredCopies', {
  stored: Type.Array(
    NamedObject('StoredCopy', {
      name,
      username,
      stored_at: Type.String({ description: 'When it was complete, RFC 3339' }),
    }),
  ),
});
export type StoredCopy = Static<typeof StoredCopies>['stored'][number];
export const Fetching = Type.Object(
  {
    name,
    replace: Type.Boolean({
      default: false,
      description: 'Whether the backups that the account has on the node go; else it may have none',
    }),
  },
  { title: 'BackupFetching', examples: [{ name: 'ann.7.0123456789abcdef' }] },
);
export const CopyTask = NamedObject(
  'BackupCopyTask',
  taskMembers(['copy', 'fetch'], {
    path: 'The name of the copy that is fetched',
    files: 'Backups, once it is done',
    size_bytes: 'Always 0',
    left_out: 'Always 0',
  }),
);
export type CopyTask = Static<typeof CopyTask>;
