import { createReadStream } from 'node:fs';
import { streamed, type Stream } from '../../kernel/contract/reply.ts';
import type { Kind, Segment } from './site-logs/segments.ts';

/** Returns all of a log as an attachment, the oldest line first; broken off where a rotation has removed the rest. */
export function download(domain: string, kind: Kind, segments: readonly Segment[]): Stream {
  return streamed('text/plain; charset=us-ascii', read(segments), {
    sizeBytes: segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    headers: {
      'Content-Disposition': `attachment; filename="${domain}-${kind}.log"`,
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'none'; sandbox",
    },
  });
}

async function* read(segments: readonly Segment[]): AsyncGenerator<Buffer> {
  for (const { path, sizeBytes } of segments)
    if (sizeBytes > 0) yield* createReadStream(path, { end: sizeBytes - 1 }) as AsyncIterable<Buffer>;
}
