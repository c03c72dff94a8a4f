import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

export const ContentSearchConfig = Type.Object(
  {
    processes: Type.Integer({ minimum: 1, maximum: 64, default: 2, description: 'Accounts that search at a time' }),
    seconds: Type.Integer({ minimum: 1, maximum: 120, default: 10, description: 'Seconds after which a search ends' }),
    max_mib: Type.Integer({ minimum: 1, maximum: 65_536, default: 1024, description: 'MiB that one search reads' }),
    max_file_mib: Type.Integer({
      minimum: 1,
      maximum: 32,
      default: 8,
      description: 'MiB beyond which a file is left out',
    }),
  },
  { additionalProperties: false },
);
export type ContentSearchConfig = Static<typeof ContentSearchConfig>;

export const ContentSearchQuery = Type.Object({
  text: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: '^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$',
    description: 'Found as it stands, within a line',
    examples: ['DB_PASSWORD'],
  }),
  path: Type.String({ maxLength: 4096, default: '', description: 'A folder; empty for all files' }),
  ending: Type.String({
    maxLength: 50,
    default: '',
    description: 'With which the names of the files end, such as .php; empty for all',
  }),
  case: Type.String({
    enum: ['ignored', 'same'],
    default: 'ignored',
    description: 'Whether small and capital letters are the same',
  }),
});
export type ContentSearchQuery = Static<typeof ContentSearchQuery>;

export const FOUND_FILES = 200;
export const LINES_OF_FILE = 20;
const FoundLine = NamedObject('FoundLine', {
  line: Type.Integer({ description: 'Its number, from 1' }),
  before: Type.String({ description: 'What stands before the text in the line, at most its last 60 characters' }),
  found: Type.String(),
  after: Type.String({ description: 'What follows, at most 140 characters' }),
});
export type FoundLine = Static<typeof FoundLine>;
const FoundFile = NamedObject('FoundFile', {
  path: Type.String(),
  lines: Type.Array(FoundLine, { maxItems: LINES_OF_FILE }),
  has_more: Type.Boolean({ description: 'Whether further lines have the text' }),
});
export type FoundFile = Static<typeof FoundFile>;
export const FoundContent = NamedObject('FoundContent', {
  files: Type.Array(FoundFile, { maxItems: FOUND_FILES, description: 'By their paths' }),
  searched: Type.Integer({ description: 'Files whose content was searched' }),
  left_out: Type.Integer({
    description:
      'Files that are too large, or whose name is not UTF-8, and what cannot be read; files of bytes that are no text not included',
  }),
  ended_by: Type.Union([Type.String({ enum: ['files', 'bytes', 'time'] }), Type.Null()], {
    description:
      'What ended the search before all was searched: that many files were found, or read, or it took too long',
  }),
});
export type FoundContent = Static<typeof FoundContent>;
