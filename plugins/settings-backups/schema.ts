import { taskMembers } from '../../kernel/areas/tasks/task-schema.ts';
import { NamedObject, Type } from '../../kernel/schema.ts';

export const BackupParams = Type.Object({ id: Type.String({ maxLength: 64 }) });

export const BackupSettings = NamedObject('BackupSettings', {
  saved: Type.Boolean({ description: 'Whether the backup has them' }),
  size_bytes: Type.Integer(),
  problem: Type.Union([Type.String(), Type.Null()], {
    description: 'Why they could not be saved; null if they were, and for a backup of before',
  }),
});

export const SettingsTask = NamedObject(
  'SettingsTask',
  taskMembers(['restore'], {
    path: 'settings',
    files: '1, for all of them',
    size_bytes: 'Of what was read of the backup',
    left_out: 'Settings that could not be put back; the detail says which, and why',
  }),
);
