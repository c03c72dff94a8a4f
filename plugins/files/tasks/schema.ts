import { LISTED_TASKS, taskMembers } from '../../../kernel/areas/tasks/task-schema.ts';
import { NamedObject, Type, type Static } from '../../../kernel/schema.ts';
import { Path } from '../schema.ts';

export const FileTask = NamedObject(
  'FileTask',
  taskMembers(['copy', 'compress', 'extract', 'repair', 'empty'], {
    kind: '`empty` removes what is in the trash for good',
    path: 'Where the result is when all is done, absolute; of `empty`, the files root',
    files: 'Files and folders so far; of a repair, owners and modes that were set; of `empty`, what is gone',
    size_bytes: 'Their content so far',
    left_out: 'Entries that were left out, such as pipes, links in an archive, and what belongs to somebody else',
  }),
);
export type FileTask = Static<typeof FileTask>;
export const FileTasks = NamedObject('FileTasks', {
  tasks: Type.Array(FileTask, { description: LISTED_TASKS }),
});
export const Copying = Type.Object(
  { from: Path, to: Path },
  { title: 'FileCopying', examples: [{ from: 'site', to: 'site-before' }] },
);
export const Repairing = Type.Object(
  { path: Type.String({ maxLength: 4096, description: 'A folder; empty for the root' }) },
  { title: 'FileRepairing', examples: [{ path: 'site' }] },
);
