import { NamedObject, Type, type Static } from '../../../kernel/schema.ts';
import { Path } from '../schema.ts';

const Nullable = Type.Union([Type.String(), Type.Null()]);
export const TaskParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
export const FileTask = NamedObject('FileTask', {
  id: Type.String(),
  kind: Type.String({ enum: ['copy', 'compress', 'extract', 'repair'] }),
  path: Type.String({ description: 'Where the result is when all is done, absolute' }),
  state: Type.String({ enum: ['running', 'done', 'failed', 'canceled'] }),
  files: Type.Integer({ description: 'Files and folders so far; of a repair, those that were changed' }),
  size_bytes: Type.Integer({ description: 'Their content so far' }),
  left_out: Type.Integer({
    description: 'Entries that were left out, such as pipes, links in an archive, and what belongs to somebody else',
  }),
  error: Type.Union([Type.String(), Type.Null()], { description: 'The code of the error, if it failed' }),
  detail: Nullable,
  created_at: Type.String({ description: 'RFC 3339' }),
  ended_at: Nullable,
});
export type FileTask = Static<typeof FileTask>;
export const FileTasks = NamedObject('FileTasks', {
  tasks: Type.Array(FileTask, { description: 'Newest first, at most 50; those that ended are forgotten after a week' }),
});
export const Copying = Type.Object(
  { from: Path, to: Path },
  { title: 'FileCopying', examples: [{ from: 'site', to: 'site-before' }] },
);
export const Repairing = Type.Object(
  { path: Type.String({ maxLength: 4096, description: 'A folder; empty for the root' }) },
  { title: 'FileRepairing', examples: [{ path: 'site' }] },
);
