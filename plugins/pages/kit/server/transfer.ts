import { againAfterLogin, ApiError, HEADERS, refusal, reported } from './api.ts';

interface TransferInit {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Blob | FormData;
  readonly signal?: AbortSignal;
  /** Called with the number of bytes that went or came so far. */
  readonly onProgress?: (doneBytes: number) => void;
}

/**
 * Sends or fetches a file, and says how far it is, which `fetch` cannot for what it sends. The browser keeps what is large on
 * its disk. Rejects with `ApiError`, or with the reason of the signal.
 */
export function transfer(path: string, init: TransferInit): Promise<Blob> {
  return againAfterLogin(init.method, () => transferOnce(path, init));
}

async function transferOnce(path: string, { method, headers, body, signal, onProgress }: TransferInit): Promise<Blob> {
  signal?.throwIfAborted();
  const request = new XMLHttpRequest();
  request.open(method, path);
  request.responseType = 'blob';
  for (const [name, value] of Object.entries({ ...HEADERS, ...headers })) request.setRequestHeader(name, value);
  const side = body === undefined ? request : request.upload;
  side.addEventListener('progress', ({ loaded }) => onProgress?.(loaded));
  const abort = () => request.abort();
  signal?.addEventListener('abort', abort);
  try {
    await new Promise<void>((resolve) => {
      request.addEventListener('loadend', () => resolve());
      request.send(body ?? null);
    });
  } finally {
    signal?.removeEventListener('abort', abort);
  }
  signal?.throwIfAborted();
  const { status } = request;
  const received = request.response as Blob | null;
  if (status === 0 || received === null) throw reported(new ApiError(0, {}), path);
  if (status >= 400) throw refusal(path, status, await received.text(), request.getResponseHeader('Retry-After'));
  reported(undefined, path);
  return received;
}

/** Long enough for the browser to have begun. */
const KEPT_MS = 10_000;

/** Hands a file to the browser, which saves it where people want it. */
export function saveAs(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
