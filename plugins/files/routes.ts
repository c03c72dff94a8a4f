import { Bytes } from '../../kernel/contract/incoming-body.ts';
import type { RouteSpecs } from '../../kernel/contract/route-spec.ts';
import { Type } from '../../kernel/schema.ts';
import { PATH_ERRORS } from './errors.ts';
import * as schema from './schema.ts';

const SHARED = [...PATH_ERRORS, 'files_unavailable', 'overloaded'] as const;
const LIST_ERRORS = ['folder_not_found', 'files_unavailable', 'overloaded'] as const;
const CHANGE_ERRORS = [...SHARED, 'file_not_found', 'file_exists', 'no_space'] as const;

/** Folders alone, as trees show them. */
export const folderRoutes = {
  list: {
    method: 'GET',
    path: '/api/folders/*path',
    at: 'home',
    summary: 'List the subfolders of a folder',
    description: 'Symbolic links are neither listed nor followed. The root of an account without files is empty.',
    params: schema.FolderParams,
    reply: schema.FolderList,
    errors: ['invalid_path', ...LIST_ERRORS],
  },
  root: {
    method: 'GET',
    path: '/api/folders',
    at: 'home',
    summary: 'List the folders of the account',
    description: 'Those in the root, without symbolic links. The root of an account without files is empty.',
    reply: schema.FolderList,
    errors: LIST_ERRORS,
  },
} as const satisfies RouteSpecs;

/** Files and folders, one by one. */
export const entryRoutes = {
  entries: {
    method: 'GET',
    path: '/api/files',
    at: 'home',
    summary: 'List the entries of a folder',
    description: 'With sizes, times and permissions. Links are listed and never followed.',
    query: schema.EntriesQuery,
    reply: schema.Entries,
    errors: SHARED,
  },
  read: {
    method: 'GET',
    path: '/api/files/content',
    at: 'home',
    summary: 'Download a file',
    description:
      'As an attachment, with an ETag and one range if the request names it. If the file changes meanwhile, the connection ' +
      'is broken off, so that nobody gets half of each.',
    query: schema.FilePath,
    headers: ['range', 'if-range', 'if-none-match'],
    produces: ['application/octet-stream'],
    reply: Type.Unknown(),
    errors: [...SHARED, 'file_not_found', 'range_not_satisfiable'],
  },
  write: {
    method: 'PUT',
    path: '/api/files/content',
    at: 'home',
    summary: 'Upload a file',
    description:
      'The body is the content, of any length. The file takes its place when all has arrived. `If-Match` with an ETag changes ' +
      'that version only, and `If-None-Match: *` makes a new file only; `Content-Digest` with sha-256 is checked. A client that sends ' +
      'nothing for some ten seconds is disconnected; uploads by tus go on after that.',
    query: schema.FilePath,
    headers: ['if-match', 'if-none-match', 'content-digest'],
    body: Bytes,
    reply: schema.Written,
    errors: [...CHANGE_ERRORS, 'file_changed', 'digest_mismatch'],
  },
  makeFolder: {
    method: 'POST',
    path: '/api/files/folders',
    at: 'home',
    summary: 'Make a folder',
    description: 'In a folder that exists.',
    body: schema.NewFolder,
    reply: schema.Written,
    status: 201,
    errors: CHANGE_ERRORS,
  },
  move: {
    method: 'POST',
    path: '/api/files/move',
    at: 'home',
    summary: 'Move or rename a file or folder',
    description: 'To a name that nothing has.',
    body: schema.Move,
    reply: schema.Written,
    errors: CHANGE_ERRORS,
  },
  setMode: {
    method: 'PUT',
    path: '/api/files/mode',
    at: 'home',
    summary: 'Set the permissions of a file or folder',
    description: 'Of itself alone; bits that let others run something as the account are not taken.',
    body: schema.Mode,
    reply: schema.Written,
    errors: CHANGE_ERRORS,
  },
} as const satisfies RouteSpecs;
