/** Bytes that one job writes. */
export const PART_BYTES = 1 << 20;

/** Gathers what arrives, so that a job has something to do. If the source fails, what has arrived comes first. */
export async function* bodyParts(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes < PART_BYTES) continue;
      const part = Buffer.concat(chunks);
      [chunks, sizeBytes] = [[], 0];
      yield part;
    }
  } catch (error) {
    if (sizeBytes > 0) yield Buffer.concat(chunks);
    throw error;
  }
  if (sizeBytes > 0) yield Buffer.concat(chunks);
}
