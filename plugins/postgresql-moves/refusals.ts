import { errorMessage, HttpError } from '../../kernel/errors.ts';
import { isFailure, isVerdict } from '../../kernel/kit/databases/postgresql/client.ts';
import { escapeControl } from '../../kernel/log.ts';
import { fail } from './errors.ts';

/** Returns 409 `move_refused`; names in `detail` may be customers'. */
export const refused = (detail: string, cause?: unknown): HttpError =>
  fail.move_refused(escapeControl(detail), { cause });

/** Runs `work`. What the server refuses is 409 `move_refused`, with its words; without an answer, 503 `databases_unavailable`. */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HttpError) throw withCause(error);
    if (isVerdict(error)) throw refused(`the database server refuses: ${error.message}`, error);
    if (!isFailure(error)) throw error;
    throw fail.databases_unavailable(escapeControl(`the database server does not answer: ${errorMessage(error)}`), {
      cause: error,
    });
  }
}

/** Tells the operator what a customer is not told: why a program has failed. */
function withCause(error: HttpError): HttpError {
  if (error.code !== 'databases_unavailable' || !(error.cause instanceof Error)) return error;
  return fail.databases_unavailable(`${error.message}: ${error.cause.message}`, { cause: error.cause });
}
