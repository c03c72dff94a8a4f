import { lstatSync, type BigIntStats } from 'node:fs';
import { fileEtag } from '../../../kernel/kit/files/unfinished/file-etag.ts';
import type { Entry } from '../schema.ts';

/** Returns an entry as clients see it; a link is not followed. */
export function readEntry(name: string, path: string): Entry {
  return toEntry(name, lstatSync(path, { bigint: true }));
}

export function toEntry(name: string, stats: BigIntStats): Entry {
  return {
    name,
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'other',
    size_bytes: stats.isFile() ? Number(stats.size) : 0,
    mode: (Number(stats.mode) & 0o7777).toString(8).padStart(4, '0'),
    modified_at: new Date(Number(stats.mtimeMs)).toISOString(),
    etag: fileEtag(stats),
  };
}
