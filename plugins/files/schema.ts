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
