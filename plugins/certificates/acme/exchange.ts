import { request } from 'node:https';
import type { AcmeAnswer } from './acme-answer.ts';
import { AcmeFailure } from './acme-failure.ts';

export interface Authority {
  /** The URL of the directory (RFC 8555, 7.1.1). */
  readonly directory: string;
  /** The authorities of the directory's own certificate, PEM; `undefined` for those that Node.js knows. */
  readonly ca: string | undefined;
  /** How long an answer may take. */
  readonly timeoutMs: number;
}

/** Far more than a chain of certificates has. */
const LARGEST_BYTES = 262_144;

/** Sends one request, to the host of the directory only. Rejects with an `AcmeFailure`. */
export async function exchange(
  { directory, ca, timeoutMs }: Authority,
  url: string,
  { body, signal }: { readonly body?: string; readonly signal: AbortSignal },
): Promise<AcmeAnswer> {
  if (!URL.canParse(url) || new URL(url).origin !== new URL(directory).origin)
    throw new AcmeFailure(`the authority names an address that is not its own: ${url.slice(0, 200)}`);
  const options = {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'user-agent': 'hostkeep', ...(body !== undefined && { 'content-type': 'application/jose+json' }) },
    signal,
    ...(ca !== undefined && { ca }),
  };
  let limit: NodeJS.Timeout | undefined;
  return new Promise<AcmeAnswer>((resolve, reject) => {
    const failed = (error: Error) => {
      const failure = `the authority does not answer: ${error.message}`;
      reject(signal.aborted ? (signal.reason as Error) : new AcmeFailure(failure, { cause: error }));
    };
    const sent = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if ((bytes += chunk.length) > LARGEST_BYTES) sent.destroy(new Error('its answer is too large'));
      });
      response.on('error', failed);
      response.on('end', () => {
        const header = (name: string) => String(response.headers[name] ?? '');
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString(), header });
      });
    });
    sent.on('error', failed);
    // Node.js 20 may collect a signal of `AbortSignal.timeout` that only `AbortSignal.any` knows; then it never fires.
    limit = setTimeout(() => sent.destroy(new Error(`timed out after ${timeoutMs} ms`)), timeoutMs);
    sent.end(body);
  }).finally(() => clearTimeout(limit));
}
