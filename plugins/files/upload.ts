import { createHash, randomUUID } from 'node:crypto';
import type { IncomingBody } from '../../kernel/contract/incoming-body.ts';
import { assertRoom, type Room } from '../../kernel/areas/files/free-room.ts';
import { bodyParts, PART_BYTES } from '../../kernel/kit/files/unfinished/body-parts.ts';
import type { UploadTarget } from '../../kernel/kit/files/unfinished/unfinished-files.ts';
import { fail } from './errors.ts';
import type { WriteInput } from './jobs/write-job.ts';
import type { Entry } from './schema.ts';

/** Runs a step of an upload as the account. */
export type WriteStep = (input: WriteInput, bytes?: Uint8Array) => Promise<Entry | null>;
interface Upload extends UploadTarget {
  /** The header `Content-Digest` (RFC 9530); empty for none. */
  readonly digest: string;
  /** Within the plan. */
  readonly free: Room;
}

/**
 * Writes a body to a file, which has its place when all has arrived, and not before. A small one takes one job, because of the many
 * that come together. Errors: those of the job, 400 for a digest that is none, 422 `digest_mismatch`, 507 `no_space`.
 */
export async function upload(
  body: IncomingBody,
  { components, expected, digest, free }: Upload,
  write: WriteStep,
): Promise<Entry> {
  const name = randomUUID();
  const wanted = parseDigest(digest);
  const hash = wanted === undefined ? undefined : createHash('sha256');
  const assertFits = (sizeBytes: number) => assertRoom({ bytes: sizeBytes, names: 1 }, free, fail.no_space);
  const assertWhole = (sizeBytes: number) => {
    if (body.sizeBytes !== undefined && body.sizeBytes !== sizeBytes)
      throw fail.digest_mismatch(`${sizeBytes} of ${body.sizeBytes} bytes arrived`);
    if (hash !== undefined && hash.digest('base64') !== wanted)
      throw fail.digest_mismatch('the bytes that arrived have another digest');
  };
  assertFits(body.sizeBytes ?? 0);
  if (body.sizeBytes !== undefined && body.sizeBytes <= PART_BYTES) {
    let whole = Buffer.alloc(0);
    for await (const part of bodyParts(body)) whole = Buffer.concat([whole, part]);
    hash?.update(whole);
    assertWhole(whole.length);
    return (await write({ step: 'whole', upload: name, components, expected }, whole)) as Entry;
  }
  await write({ step: 'begin', upload: name, components, expected });
  try {
    let offset = 0;
    for await (const part of bodyParts(body)) {
      assertFits(offset + part.length);
      hash?.update(part);
      await write({ step: 'append', upload: name, offset }, part);
      offset += part.length;
    }
    assertWhole(offset);
    return (await write({ step: 'finish', upload: name, components, expected, sizeBytes: offset })) as Entry;
  } catch (error) {
    await write({ step: 'discard', upload: name });
    throw error;
  }
}

/** Returns the SHA-256 that a client announces, in base64; other algorithms are left to those who know them. */
function parseDigest(header: string): string | undefined {
  if (header === '') return undefined;
  const [, digest] = /(?:^|,\s*)sha-256=:([A-Za-z0-9+/]{43}=):/.exec(header) ?? [];
  if (digest === undefined) throw fail.invalid_request('Content-Digest must name sha-256, as in RFC 9530');
  return digest;
}
