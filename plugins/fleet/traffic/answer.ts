import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { Reply, streamed, type Stream } from '../../../kernel/contract/reply.ts';

/** Headers that every answer gets here, or that belong to the connection between the nodes. */
const NOT_PASSED_ON = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-accel-buffering',
  'x-content-type-options',
  'x-request-id',
]);
/** The writer of answers looks for this name as it stands here. */
const CACHE_CONTROL = 'Cache-Control';

/** The longest answer that is held in memory; longer ones are passed on as they come. */
const WHOLE_BYTES = 1 << 20;

type Given = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'> & { readonly body: Readable };

/**
 * Returns the answer of another node as one of this node. A short one is read whole; anything else is passed on as it
 * comes. Rejects if a refusal is long, which no node writes.
 */
export async function toAnswer({ statusCode, headers, body }: Given): Promise<Reply | Stream> {
  const type = String(headers['content-type'] ?? 'application/octet-stream');
  const passedOn = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined || NOT_PASSED_ON.has(name)) return [];
      return [[name === 'cache-control' ? CACHE_CONTROL : name, [value].flat().join(', ')]];
    }),
  );
  const sizeBytes = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  const isWhole = (sizeBytes ?? Infinity) <= WHOLE_BYTES || (statusCode !== 200 && statusCode !== 206);
  if (!isWhole)
    return streamed(type, body, {
      status: statusCode,
      headers: passedOn,
      onEnd: () => void body.destroy(),
      ...(sizeBytes !== undefined && { sizeBytes }),
    });
  return new Reply(await whole(body), { type, status: statusCode, headers: passedOn });
}

async function whole(body: Readable): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.length;
    if (sizeBytes > WHOLE_BYTES) throw new Error(`the node sent more than ${WHOLE_BYTES} bytes where it says little`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
