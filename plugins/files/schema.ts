import { Type, type Static } from '../../kernel/schema.ts';

export const FilesConfig = Type.Object(
  {
    max_folders: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 20_000,
      description: 'Folders that one reply lists at most',
    }),
    max_entries: Type.Integer({
      minimum: 1,
      maximum: 10_000_000,
      default: 500_000,
      description: 'Entries, files included, that are read for one reply at most',
    }),
  },
  { additionalProperties: false },
);
export type FilesConfig = Static<typeof FilesConfig>;

export const FolderParams = Type.Object({
  path: Type.String({
    default: '',
    description:
      'Below the files root, or absolute as replies show it, with or without its leading slash; empty for the root',
  }),
});

const SubFolder = Type.Object({
  name: Type.String(),
  path: Type.String({ description: 'Absolute, as other requests take it' }),
  has_subfolders: Type.Boolean({ description: 'Whether there is a plain folder in it' }),
});
export type SubFolder = Static<typeof SubFolder>;

export const FolderList = Type.Object({
  path: Type.String({ description: 'Absolute path of the folder' }),
  folders: Type.Array(SubFolder, {
    description:
      "The plain folders in it, in the order of their names' code units. Symbolic links are left out, and so are names that are not UTF-8 or hold control characters, because no request could name them",
  }),
  truncated: Type.Boolean({
    description:
      'True when the folder is larger than the server reads for one reply (see max_folders and max_entries of the configuration): the list then has what was read first, and has_subfolders is true where it was not looked at',
  }),
});
export type FolderList = Static<typeof FolderList>;
