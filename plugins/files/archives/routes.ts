import type { RouteSpecs } from '../../../kernel/contract/route-spec.ts';
import { Type } from '../../../kernel/schema.ts';
import { FileTask } from '../tasks/schema.ts';
import { PATH_ERRORS } from '../errors.ts';
import * as schema from './schema.ts';

const FOUND_ERRORS = [...PATH_ERRORS, 'file_not_found', 'files_unavailable', 'overloaded'] as const;
const beginning = { method: 'POST', at: 'home', reply: FileTask, status: 202 } as const;

/** Archives, and what browsers download by themselves. */
export const archiveRoutes = {
  compress: {
    ...beginning,
    path: '/api/files/compress',
    summary: 'Pack files and folders into an archive',
    description: 'Under a name that nothing has. The reply is a task, which GET /api/files/tasks/:id follows.',
    body: schema.Compressing,
    errors: [...FOUND_ERRORS, 'file_exists'],
  },
  extract: {
    ...beginning,
    path: '/api/files/extract',
    summary: 'Unpack an archive',
    description:
      'Of zip, tar.gz or tar.zst, into a new folder. A name that leads out of it, or that is there twice, refuses the whole ' +
      'archive; links are left out. The reply is a task, which GET /api/files/tasks/:id follows.',
    body: schema.Extracting,
    errors: [...FOUND_ERRORS, 'file_exists'],
  },
  newDownload: {
    method: 'POST',
    path: '/api/files/downloads',
    at: 'home',
    summary: 'Make a link to download files and folders',
    description: 'For browsers, which save what they get as it comes. Folders are packed meanwhile.',
    idempotencyKey: 'refused',
    body: schema.NewDownload,
    reply: schema.Download,
    status: 201,
    errors: FOUND_ERRORS,
  },
  download: {
    method: 'GET',
    path: '/api/files/downloads/:username/:ticket',
    at: 'named',
    access: 'guest',
    summary: 'Download by a link',
    description: 'What POST /api/files/downloads has made a link to, until it expires. A single file takes ranges.',
    params: schema.DownloadParams,
    headers: ['range', 'if-range', 'if-none-match'],
    produces: ['application/octet-stream'],
    reply: Type.Unknown(),
    errors: [...FOUND_ERRORS, 'download_not_found', 'range_not_satisfiable'],
  },
} as const satisfies RouteSpecs;
