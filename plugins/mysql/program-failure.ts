import { MariaDbFailure } from '../../kernel/kit/programs/mariadb-programs.ts';
import { fail } from './errors.ts';

/** Returns 503 `databases_unavailable` for a program that is missing or has failed; other errors as they are. */
export function programFailure(error: unknown): unknown {
  if (!(error instanceof MariaDbFailure)) return error;
  return fail.databases_unavailable('a program of MariaDB is missing, or has failed', { cause: error });
}
