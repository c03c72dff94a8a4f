import { defineErrors, HttpError } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  move_refused: [409, 'Account cannot be moved'],
  move_in_progress: [409, 'Account being moved'],
});

export const inProgress = (username: string): HttpError =>
  fail.move_in_progress(`${username} is being moved, or was a moment ago: try again in 10 seconds`);

/** Returns an error of the same kind, with more to say. */
export const saying = (detail: string, cause: unknown): Error =>
  cause instanceof HttpError ? new HttpError(cause.code, detail, { cause }) : new Error(detail, { cause });

export function refuse(error: Error): never {
  throw error;
}
