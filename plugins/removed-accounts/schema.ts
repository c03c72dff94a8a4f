import { taskMembers } from '../../kernel/areas/tasks/task-schema.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

export const RemovedAccountsConfig = Type.Object(
  {
    days: Type.Integer({
      minimum: 0,
      maximum: 3650,
      default: 7,
      description: 'Days for which the backups of a removed account stay after its purge; 0 = none, they go with it',
    }),
    check_seconds: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 600,
      description: 'Seconds after which backups are removed whose time has come',
    }),
  },
  { additionalProperties: false },
);
export type RemovedAccountsConfig = Static<typeof RemovedAccountsConfig>;

const Time = (description: string) => Type.String({ format: 'date-time', description });
const name = Type.String({ maxLength: 100, examples: ['jane.7'], description: 'The user name and id that it had' });
const Plan = Type.Union([Type.String({ maxLength: 64 }), Type.Null()]);
export const NodeQuery = Type.Object({
  node: Type.Optional(Type.String({ maxLength: 63, description: 'Another node of the fleet' })),
});
export const RemovedParams = Type.Object({ name });
export const TaskParams = Type.Object({ name, id: Type.String({ maxLength: 64 }) });

export const RestorableAccount = NamedObject('RestorableAccount', {
  name,
  username: Type.String(),
  plan: Type.Union(Plan.anyOf, { description: 'That it had; null for none' }),
  removed_at: Time('RFC 3339'),
  gone_at: Type.Union([Time('RFC 3339'), Type.Null()], {
    description:
      'When its backups are removed for good; null: its data is there, and its name is reserved, until a purge',
  }),
  is_restoring: Type.Boolean(),
  size_bytes: Type.Integer({ description: 'Of the repository' }),
  backups: Type.Array(
    NamedObject('RestorableBackup', {
      id: Type.String(),
      created_at: Time('RFC 3339'),
      files: Type.Integer(),
      size_bytes: Type.Integer({ description: 'Of the files' }),
      databases: Type.Integer(),
    }),
    { description: 'Newest first' },
  ),
});
export type RestorableAccount = Static<typeof RestorableAccount>;
export const RestorableAccounts = NamedObject('RestorableAccounts', {
  days: Type.Integer({ description: 'Days for which backups stay after a purge; 0 = they go with it' }),
  accounts: Type.Array(RestorableAccount, { description: 'Removed last first; at most 1000' }),
});

/** How a removed account comes back. */
export const Choice = {
  backup: Type.Optional(Type.String({ maxLength: 64, description: 'The newest one unless given' })),
  username: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'The one that it had unless given' }),
  ),
  plan: Type.Optional(Type.Union(Plan.anyOf, { description: 'The one that it had unless given; null for none' })),
};
export const Restoring = Type.Object(
  { ...Choice, password: Type.String({ minLength: 8, maxLength: 128, description: 'Of the new account' }) },
  { title: 'RemovedAccountRestoring', examples: [{ password: 'correct horse battery' }] },
);
export const BackupsRemoved = NamedObject('RemovedAccountBackupsRemoved', { name, removed: Type.Literal(true) });
export const RestoringTask = NamedObject(
  'RemovedAccountTask',
  taskMembers(['restore'], {
    path: 'The user name of the account that is made',
    files: 'Files and folders that are restored',
    size_bytes: 'Of these',
    left_out: 'What could not be restored besides files; the detail says what, and why',
  }),
);
