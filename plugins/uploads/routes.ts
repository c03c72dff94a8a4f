import type { RouteSpecs } from '../../kernel/contract/route-spec.ts';
import { Type } from '../../kernel/schema.ts';
import * as schema from './schema.ts';

const feature = { all: ['filemanager'] } as const;
const HEAD = ['tus-resumable'] as const;
const SHARED = ['protocol_version', 'files_unavailable', 'overloaded'] as const;
const ENDINGS = [
  'invalid_path',
  'permission_denied',
  'folder_not_found',
  'file_exists',
  'file_changed',
  'no_space',
] as const;
const ARRIVAL = ['upload_too_large', 'upload_type', 'checksum_mismatch', 'upload_locked', 'offset_mismatch'] as const;

/** The routes of the protocol tus 1.0.0, and a list for whoever begins again. */
export const uploadRoutes = {
  options: {
    feature,
    method: 'OPTIONS',
    path: '/api/uploads',
    summary: 'Say what uploads can do',
    description: 'The version of the protocol, its extensions, and the largest size in bytes, in headers.',
    reply: Type.Unknown(),
    status: 204,
  },
  create: {
    feature,
    method: 'POST',
    path: '/api/uploads',
    at: 'home',
    summary: 'Begin a resumable upload',
    description:
      'By the protocol tus 1.0.0. `Upload-Length` is the size in bytes. `Upload-Metadata` names the `path` of the file, and may say ' +
      'what `overwrite` allows: `false`, or an ETag. The body may be the beginning of the file.',
    headers: [...HEAD, 'upload-length', 'upload-metadata', 'upload-checksum', 'upload-defer-length', 'content-type'],
    body: schema.UploadBytes,
    reply: schema.Upload,
    status: 201,
    errors: [...SHARED, ...ENDINGS, ...ARRIVAL, 'uploads_full'],
  },
  list: {
    feature,
    method: 'GET',
    path: '/api/uploads',
    at: 'home',
    summary: 'List uploads that are not complete',
    description: 'With how much of each has arrived.',
    reply: schema.Uploads,
    errors: ['files_unavailable', 'overloaded'],
  },
  show: {
    feature,
    method: 'GET',
    path: '/api/uploads/:id',
    at: 'home',
    summary: 'Show an upload',
    description: 'HEAD has it in the headers of the protocol tus 1.0.0. A complete one is known for an hour.',
    params: schema.UploadParams,
    headers: HEAD,
    reply: schema.Upload,
    errors: [...SHARED, ...ENDINGS, 'upload_not_found', 'upload_locked'],
  },
  write: {
    feature,
    method: 'PATCH',
    path: '/api/uploads/:id',
    at: 'home',
    summary: 'Send a part of a file',
    description:
      'By the protocol tus 1.0.0: the body goes to `Upload-Offset`, which is where the upload ends. What arrives before the connection ' +
      'breaks is kept. With the last byte, the file takes its place.',
    params: schema.UploadParams,
    headers: [...HEAD, 'upload-offset', 'upload-checksum', 'content-type'],
    body: schema.UploadBytes,
    reply: Type.Unknown(),
    status: 204,
    errors: [...SHARED, ...ENDINGS, ...ARRIVAL, 'upload_not_found'],
  },
  remove: {
    feature,
    method: 'DELETE',
    path: '/api/uploads/:id',
    at: 'home',
    summary: 'Remove an upload',
    description: 'What has arrived of the file goes with it; a complete file stays.',
    params: schema.UploadParams,
    headers: HEAD,
    reply: Type.Unknown(),
    status: 204,
    errors: [...SHARED, 'upload_not_found', 'upload_locked'],
  },
} as const satisfies RouteSpecs;
