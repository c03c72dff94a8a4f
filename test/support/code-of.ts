import type { HttpError } from '../../kernel/errors.ts';

/** Resolves with the code of the error that a promise rejects with, or with `done`. */
export function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'done',
    (error: HttpError) => error.code,
  );
}
