import { Type } from '../../schema.ts';

/** Describes the members of a plugin's tasks. */
interface TaskTexts {
  readonly path: string;
  readonly files: string;
  readonly size_bytes: string;
  readonly left_out: string;
  /** Of the kinds, where they do not say it themselves. */
  readonly kind?: string;
}

const Nullable = Type.Union([Type.String(), Type.Null()]);

export const TaskParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
/** Describes a list of tasks. */
export const LISTED_TASKS = 'Newest first, at most 50; those that ended are forgotten after a week';

/** Returns the members of an `AccountTask` in a reply. */
export const taskMembers = (kinds: readonly string[], { kind, ...texts }: TaskTexts) => ({
  id: Type.String(),
  kind: Type.String({ enum: [...kinds], ...(kind !== undefined && { description: kind }) }),
  path: Type.String({ description: texts.path }),
  state: Type.String({ enum: ['running', 'done', 'failed', 'canceled'] }),
  files: Type.Integer({ description: texts.files }),
  size_bytes: Type.Integer({ description: texts.size_bytes }),
  left_out: Type.Integer({ description: texts.left_out }),
  error: Type.Union([Type.String(), Type.Null()], { description: 'The code of the error, if it failed' }),
  detail: Nullable,
  created_at: Type.String({ description: 'RFC 3339' }),
  ended_at: Nullable,
});
