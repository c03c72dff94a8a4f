import { defineErrors } from '../../errors.ts';

/** The errors of a run of restic; each plugin that runs it defines them as its own. */
export const RESTIC_ERRORS = {
  backup_failed: [503, 'The backup was not made'],
  backups_unavailable: [503, 'Backups not possible on this server at the moment'],
  backup_unreadable: [503, 'The backup cannot be read'],
  backups_full: [507, 'No room for another backup'],
} as const;
export const resticFail = defineErrors(RESTIC_ERRORS);

/** The options of an error after which the client may ask again, once somebody has looked at the server. */
export const AGAIN = { retryAfterSeconds: 60 };

/** Returns the error for a program that could not be started: 503 `backups_unavailable` if it is not installed, else its own. */
export function unlessMissing(program: string, cause: unknown): unknown {
  if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') return cause;
  return resticFail.backups_unavailable(`${program} is not installed on this server`, {
    cause,
    retryAfterSeconds: 600,
  });
}
