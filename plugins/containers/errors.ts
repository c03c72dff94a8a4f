import { defineErrors, HttpError } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  containers_unavailable: [503, 'Containers not available at the moment'],
});

/** `Retry-After` of the 503, in seconds; an engine that is down is retried at the same interval. */
export const RETRY_SECONDS = 2;

/**
 * Returns the 503 `containers_unavailable`. Its cause goes to the log only; a cause that is an `HttpError` is returned
 * as it is.
 */
export function unavailable(cause: unknown, detail: string): HttpError {
  return cause instanceof HttpError
    ? cause
    : fail.containers_unavailable(detail, { retryAfterSeconds: RETRY_SECONDS, cause });
}
