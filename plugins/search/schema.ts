import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

export const SearchConfig = Type.Object(
  {
    processes: Type.Integer({
      minimum: 1,
      maximum: 1024,
      default: 16,
      description: 'Accounts whose index is in memory, each in a process that ends two minutes after its last search',
    }),
    memory_mib: Type.Integer({ minimum: 128, default: 512, description: 'Maximum memory of one of these processes' }),
    watch_share: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.5,
      description:
        'Share of fs.inotify.max_user_watches to use, at most 2,048 for an account; of its other folders, those that changed ' +
        'long ago, the modification times are compared while it searches',
    }),
    sweep_seconds: Type.Number({
      minimum: 0,
      default: 10,
      description: 'A search waits, at most a second, for the next comparison if the last one is older than this',
    }),
    max_names: Type.Integer({
      minimum: 1000,
      default: 2_000_000,
      description: 'Most files and folders in the index of one account; names beyond it are not found',
    }),
  },
  { additionalProperties: false },
);
export type SearchConfig = Static<typeof SearchConfig>;

const q = Type.String({ maxLength: 255, default: '', description: 'Text to find, in any case; empty = all' });
const limit = Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Most hits to return' });
const folder = Type.String({
  maxLength: 4096,
  default: '',
  description: 'Search only this folder and below; absolute under the virtual root, or relative to it',
});
const ext = Type.String({
  maxLength: 64,
  pattern: '^[^/\\u0000-\\u001f]*$',
  default: '',
  description: 'Whole extension, e.g. sql or tar.gz; a leading dot is dropped',
});

export const FilesQuery = Type.Object({ q, ext, folder, limit });
export type FilesQuery = Static<typeof FilesQuery>;
export const FoldersQuery = Type.Object({ q, folder, limit });
export type FoldersQuery = Static<typeof FoldersQuery>;
export const TextQuery = Type.Object({ q, limit });
export type TextQuery = Static<typeof TextQuery>;

export const FileHits = Type.Array(
  NamedObject('FileHit', {
    path: Type.String({ description: 'e.g. /var/www/html/example.com/index.php' }),
    size: Type.Integer({ description: 'Bytes' }),
    modified: Type.String({ description: 'UTC, e.g. 2026-11-20T09:30:00' }),
    modified_at: Type.String({ format: 'date-time', description: 'The same with milliseconds, RFC 3339' }),
  }),
);
export type FileHits = Static<typeof FileHits>;

export const FolderHits = Type.Array(NamedObject('FolderHit', { name: Type.String(), path: Type.String() }));
export type FolderHits = Static<typeof FolderHits>;

export const FeatureHits = Type.Array(
  NamedObject('FeatureHit', {
    description: Type.String(),
    link: Type.String({ description: 'Path of the page that shows it; empty on a server without pages' }),
    module: Type.String({ description: 'Name of the feature' }),
    name: Type.String({ description: "Title in the account's language" }),
  }),
);
export type FeatureHits = Static<typeof FeatureHits>;

export const WebsiteHits = Type.Array(Type.Array(Type.String(), { minItems: 1, maxItems: 1 }), {
  description: 'e.g. [["example.com"], ["example.com/blog"]]',
});
export type WebsiteHits = Static<typeof WebsiteHits>;
