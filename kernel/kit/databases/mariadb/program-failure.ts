import { escapeControl } from '../../../log.ts';
import { databaseFail } from '../errors.ts';
import { MariaDbFailure } from '../mariadb-programs.ts';

/** The words of a dump for a statement that the server refuses, such as one about a view without its table. */
const REFUSED = /Couldn't execute [^]*\(1\d{3}\)$/;

/** Returns 503 `databases_unavailable` for a program that is missing or has failed; other errors as they are. */
export function programFailure(error: unknown): unknown {
  if (!(error instanceof MariaDbFailure)) return error;
  const [refused] = REFUSED.exec(error.said) ?? [];
  const detail = refused === undefined ? 'a program of MariaDB is missing, or has failed' : escapeControl(refused);
  return databaseFail.databases_unavailable(detail, { cause: error });
}
