import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';

/** Returns an ETag that another content gets for sure: each write here makes a new file, and others change the time. */
export function fileEtag({ ino, size, mtimeNs }: Pick<BigIntStats, 'ino' | 'size' | 'mtimeNs'>): string {
  const version = [ino, size, mtimeNs].join(' ');
  return `"${createHash('sha256').update(version).digest('base64url').slice(0, 22)}"`;
}
