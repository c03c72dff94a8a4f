import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

export const FilesConfig = Type.Object(
  {
    max_folders: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 20_000,
      description: 'Maximum number of folders in one reply',
    }),
    max_entries: Type.Integer({
      minimum: 1,
      maximum: 10_000_000,
      default: 500_000,
      description: 'Maximum number of entries, including files, read for one reply',
    }),
    transfers: Type.Integer({
      minimum: 1,
      maximum: 64,
      default: 4,
      description: 'Uploads and downloads that an account may have at once',
    }),
    tasks: Type.Integer({
      minimum: 1,
      maximum: 64,
      default: 4,
      description: 'Accounts whose files are copied, compressed or extracted at a time',
    }),
    task_names: Type.Integer({
      minimum: 1,
      maximum: 10_000_000,
      default: 500_000,
      description: 'Files and folders that one task may make',
    }),
    task_mib: Type.Integer({
      minimum: 1,
      maximum: 1_048_576,
      default: 51_200,
      description: 'MiB that one task may write',
    }),
    archive_ratio: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 200,
      description: 'How many times larger than an archive its content may be, beyond 64 MiB',
    }),
    task_stall_seconds: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 120,
      description: 'Seconds after which a task that makes no progress is ended',
    }),
  },
  { additionalProperties: false },
);
export type FilesConfig = Static<typeof FilesConfig>;

export const FolderParams = Type.Object({
  path: Type.String({
    default: '',
    description:
      'Relative to the files root, or absolute as in replies, with or without the leading slash; empty for the root',
  }),
});

const SubFolder = NamedObject('SubFolder', {
  name: Type.String(),
  path: Type.String({ description: 'Absolute, as accepted in requests' }),
  has_subfolders: Type.Boolean({ description: 'Whether it contains a folder' }),
});
export type SubFolder = Static<typeof SubFolder>;

export const FolderList = NamedObject('FolderList', {
  path: Type.String({ description: 'Absolute path of the folder' }),
  folders: Type.Array(SubFolder, {
    description:
      'The subfolders by name, in the order of UTF-16 code units, without symbolic links and without names that ' +
      'are not UTF-8 or contain control characters: no request can contain these',
  }),
  truncated: Type.Boolean({
    description:
      'Whether the folder exceeds the limits for one reply (settings max_folders and max_entries): the list then ' +
      'holds the entries read first, and has_subfolders is true where it was not checked',
  }),
});
export type FolderList = Static<typeof FolderList>;

export const Path = Type.String({
  maxLength: 4096,
  description: 'Relative to the files root, or absolute as in replies',
});
export const FilePath = Type.Object({ path: Path });

export const Entry = NamedObject('FileEntry', {
  name: Type.String(),
  kind: Type.String({ enum: ['file', 'folder', 'link', 'other'], description: 'Links are shown and never followed' }),
  size_bytes: Type.Integer({ description: 'Of a file; 0 for all else' }),
  mode: Type.String({ description: 'Permissions, octal: 0644' }),
  modified_at: Type.String({ description: 'RFC 3339' }),
  etag: Type.String({ description: 'Another one after each change; for If-Match' }),
});
export type Entry = Static<typeof Entry>;

export const EntriesQuery = Type.Object({
  path: Type.String({ maxLength: 4096, default: '', description: 'A folder; empty for the root' }),
  sort: Type.String({ enum: ['name', 'size', 'modified'], default: 'name' }),
  order: Type.String({ enum: ['asc', 'desc'], default: 'asc' }),
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 200 }),
  cursor: Type.String({ pattern: '^\\d{0,8}$', default: '', description: 'next_cursor of the page before' }),
});
export const Entries = NamedObject('FileEntries', {
  path: Type.String({ description: 'Absolute path of the folder' }),
  entries: Type.Array(Entry, { description: 'Folders first; names that no request can hold are left out' }),
  total: Type.Integer({ description: 'Entries of the folder' }),
  truncated: Type.Boolean({
    description: 'Whether the folder has more than the setting max_entries, which are left out',
  }),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});

export const NewFolder = Type.Object({ path: Path }, { title: 'NewFolder', examples: [{ path: 'site/images' }] });
export const Move = Type.Object({ from: Path, to: Path }, { title: 'FileMove', examples: [{ from: 'a', to: 'b' }] });
export const Mode = Type.Object(
  { path: Path, mode: Type.String({ pattern: '^0?[0-7]{3}$', description: 'Permissions, octal: 0644' }) },
  { title: 'FileMode', examples: [{ path: 'index.html', mode: '0644' }] },
);
export const Written = NamedObject('FileWritten', { ...Entry.properties, path: Type.String() });
