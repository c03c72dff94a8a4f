import type { IncomingBody } from '../../kernel/contract/incoming-body.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

/** The largest request, in bytes: several may be in memory for each account. */
export const MAX_BYTES = 2 << 20;
export const MAX_FILES = 200;

export const Batch = Type.Unsafe<IncomingBody>({
  type: 'string',
  format: 'binary',
  contentMediaType: 'multipart/form-data',
});
const Nullable = Type.Union([Type.String(), Type.Null()]);

export const BatchResults = NamedObject('FileBatchResults', {
  results: Type.Array(
    NamedObject('FileBatchResult', {
      path: Type.String({ description: 'As the request has it' }),
      error: Type.Union([Type.String(), Type.Null()], {
        description: 'Code of the error; null for a file in its place',
      }),
      detail: Nullable,
    }),
    { maxItems: MAX_FILES, description: 'One for each file, in the order of the request' },
  ),
});
export type BatchResult = Static<typeof BatchResults>['results'][number];

/** A file in the field `files` of a request. */
export interface BatchedFile {
  readonly path: string;
  /** `false` for a new file only. */
  readonly overwrite?: boolean;
}
