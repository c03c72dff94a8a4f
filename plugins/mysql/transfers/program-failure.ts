import { MariaDbFailure } from '../../../kernel/kit/databases/mariadb-programs.ts';
import { escapeControl } from '../../../kernel/log.ts';
import { fail } from '../errors.ts';

/** The words of a dump for a statement that the server refuses, such as one about a view without its table. */
const REFUSED = /Couldn't execute [^]*\(1\d{3}\)$/;

/** Returns 503 `databases_unavailable` for a program that is missing or has failed; other errors as they are. */
export function programFailure(error: unknown): unknown {
  if (!(error instanceof MariaDbFailure)) return error;
  const [refused] = REFUSED.exec(error.said) ?? [];
  const detail = refused === undefined ? 'a program of MariaDB is missing, or has failed' : escapeControl(refused);
  return fail.databases_unavailable(detail, { cause: error });
}
