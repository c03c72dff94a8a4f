import { taskMembers } from '../../kernel/areas/tasks/task-schema.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

export const TrashConfig = Type.Object({
  kept_days: Type.Integer({
    minimum: 1,
    maximum: 365,
    default: 30,
    description: 'Days after which the trash of an account gives up what customers removed',
  }),
  check_seconds: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    default: 3600,
    description: 'Seconds after which it is looked again for a trash that gives something up',
  }),
});

const Path = Type.String({ maxLength: 4096, description: 'Relative to the files root, or absolute as in replies' });
const Ids = Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 1000 });
export const Removal = Type.Object(
  { paths: Type.Array(Path, { minItems: 1, maxItems: 1000 }) },
  { title: 'FileRemoval', examples: [{ paths: ['old.html'] }] },
);
export const Restore = Type.Object({ ids: Ids }, { title: 'FileRestore', examples: [{ ids: ['mb1x2y3z-0a1b2c3d'] }] });
export const Emptying = Type.Object(
  { ids: Type.Union([Ids, Type.Null()], { default: null, description: 'null for all that are there now' }) },
  { title: 'TrashEmptying', examples: [{ ids: null }] },
);
const Nullable = Type.Union([Type.String(), Type.Null()]);
export const Done = NamedObject('FileResults', {
  results: Type.Array(
    NamedObject('FileResult', {
      id: Type.String({ description: 'In the trash; empty if it failed' }),
      error: Nullable,
      detail: Nullable,
    }),
    { description: 'One for each that the request names, in its order' },
  ),
});
export const TrashTask = NamedObject(
  'TrashTask',
  taskMembers(['empty'], {
    path: 'The files root',
    files: 'Files and folders that are gone so far',
    size_bytes: '0: content is not counted',
    left_out: '0: what cannot be removed is an error',
  }),
);
export const Removed = NamedObject('RemovedFile', {
  id: Type.String(),
  path: Type.String({ description: 'Where it was, absolute' }),
  kind: Type.String({ enum: ['file', 'folder'] }),
  size_bytes: Type.Integer(),
  removed_at: Type.String({ description: 'RFC 3339' }),
});
export type Removed = Static<typeof Removed>;
export const Trash = NamedObject('Trash', {
  removed: Type.Array(Removed, { description: 'Newest first, at most 1000' }),
  kept_days: Type.Integer({ description: 'Days after which they go for good' }),
});
