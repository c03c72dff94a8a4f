import { Upload, type DetailedError } from 'tus-js-client';
import { changed, HEADERS, PAUSED, refusal, type FileToSend } from '../../pages/kit/index.ts';
import { isPassing, keepUpload } from './passing.ts';
import { markUnderWay } from './under-way.ts';

const ENDPOINT = '/api/uploads';
/** A proxy that takes a request as a whole before it passes it on loses no more than this. */
const CHUNK_BYTES = 16 * 2 ** 20;
/** Between attempts, as long as nothing arrives; three minutes in all. */
const RETRY_MS = [500, 1000, 2000, 4000, ...Array.from({ length: 17 }, () => 10_000)];

/**
 * Sends a file by the protocol tus, from where the same file was before, also after the page was closed: the browser remembers
 * the upload by path, size and time of the file.
 */
export default async function sendResumable(one: FileToSend): Promise<void> {
  const end = markUnderWay(one.path);
  try {
    await send(one);
  } finally {
    if (one.signal.reason !== PAUSED) end(); // the page still has it
    changed();
  }
}

async function send({ file, path, mayReplace, signal, onProgress }: FileToSend): Promise<void> {
  let settle: { resolve: () => void; reject: (reason: unknown) => void } | undefined;
  const done = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
  const upload = new Upload(file, {
    endpoint: ENDPOINT,
    metadata: { path, overwrite: String(mayReplace) },
    headers: HEADERS,
    chunkSize: CHUNK_BYTES,
    retryDelays: RETRY_MS,
    removeFingerprintOnSuccess: true,
    fingerprint: async () => `hostkeep ${JSON.stringify([path, mayReplace, file.size, file.lastModified])}`,
    onShouldRetry: (error) => !signal.aborted && mayPass(error),
    onAfterResponse: keepUpload,
    onProgress,
    onSuccess: () => settle?.resolve(),
    onError: (error) => settle?.reject('originalResponse' in error ? toApiError(error) : error),
  });
  const previous = (await upload.findPreviousUploads()).at(-1);
  if (previous !== undefined) upload.resumeFromPreviousUpload(previous);
  const abort = () => {
    const ending = signal.reason === PAUSED ? upload.abort() : upload.abort(true);
    ending.then(() => settle?.reject(signal.reason)).catch((error: unknown) => settle?.reject(error));
  };
  if (!signal.aborted) {
    signal.addEventListener('abort', abort, { once: true });
    upload.start();
  } else if (previous?.uploadUrl != null) {
    await Upload.terminate(previous.uploadUrl, { headers: HEADERS, retryDelays: RETRY_MS });
    settle?.reject(signal.reason);
  } else settle?.reject(signal.reason);
  await done;
}

function mayPass({ originalResponse }: DetailedError): boolean {
  const status = originalResponse?.getStatus() ?? 0;
  const isElsewhere = status === 409 && originalResponse?.getBody().includes('"offset_mismatch"') === true;
  return isElsewhere || isPassing(status);
}

function toApiError({ originalRequest, originalResponse }: DetailedError) {
  const status = originalResponse?.getStatus() ?? 0;
  const body = originalResponse?.getBody() ?? '';
  return refusal(originalRequest.getURL(), status, body, originalResponse?.getHeader('Retry-After') ?? null);
}
