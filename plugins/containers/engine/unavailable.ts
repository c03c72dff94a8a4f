import { HttpError, retryLater } from '../../../kernel/errors.ts';

/** Seconds after which a refused client may ask again; an engine that is down is tried as often. */
export const RETRY_SECONDS = 2;

/** The 503 of whatever needs an engine. It names no cause to the client; a cause that is a refusal already stays it. */
export function unavailable(cause: unknown, detail: string): HttpError {
  return cause instanceof HttpError ? cause : retryLater('containers_unavailable', detail, RETRY_SECONDS, cause);
}

/** The promise's value, or a 503 when it takes longer; what it makes of itself later is for others. */
export function inTime<T>(promise: Promise<T>, waitMs: number, detail: string): Promise<T> {
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    limit = setTimeout(() => reject(unavailable(undefined, detail)), waitMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(limit));
}
