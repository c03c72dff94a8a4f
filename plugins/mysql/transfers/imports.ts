import { escapeControl } from '../../../kernel/log.ts';
import type { IncomingBody } from '../../../kernel/contract/incoming-body.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { loadDatabase, MariaDbFailure } from '../../../kernel/kit/databases/mariadb-programs.ts';
import { dumpText } from '../../../kernel/kit/databases/dump-stream.ts';
import { programFailure } from '../../../kernel/kit/databases/mariadb/program-failure.ts';
import type { DatabaseTransfers } from '../../../kernel/kit/databases/database-transfers.ts';
import { withoutDefiners } from '../../../kernel/kit/databases/mariadb/definers.ts';
import { whileGoingOn } from '../../../kernel/kit/databases/size-limit.ts';
import { fail } from '../errors.ts';
import type { Writing } from '../writing/writing.ts';
import { withTemporary, type TemporaryParts } from '../temporary-work.ts';

/** The client says so of a statement that failed. */
const REFUSAL = /^ERROR (?:(\d+) \(\w+\) )?at line (\d+)[^:\n]*: ([^]*)$/m;
const TOO_LONG = /Out of memory/;
/** Errors of the client itself; most are about the connection. */
const isOfClient = (number: number): boolean => number >= 2000 && number < 3000;
/** The client holds a statement as a whole. */
const LIMITS = { dataBytes: 256 << 20 };

interface Parts extends TemporaryParts {
  readonly transfers: DatabaseTransfers;
  readonly writing: Writing;
  readonly config: { readonly import_max_bytes: number };
}
interface Asked {
  readonly database: string;
  readonly body: IncomingBody;
  readonly ip: string;
  readonly signal: AbortSignal;
}

/**
 * Runs the statements of a dump, which may be compressed, as a user that is made for this. Errors: 404
 * `database_not_found`; 409 `request_in_progress`, `database_size_limit_reached`; 422 `import_failed` with the line, where all before it stays; 503
 * `databases_unavailable`, `overloaded`.
 */
export async function importDatabase(parts: Parts, account: Account, asked: Asked): Promise<void> {
  const { database: name, body, ip } = asked;
  const text = withoutDefiners(dumpText(body, parts.config.import_max_bytes));
  const load = (signal: AbortSignal) =>
    withTemporary(parts, account, { kind: 'import', name, ip }, (login) =>
      loadDatabase(login, name, text, signal, LIMITS).catch((error: unknown) => {
        throw failureOf(error);
      }),
    );
  await parts.transfers.run(account.id, asked.signal, (signal) => whileGoingOn(parts.writing, account, signal, load));
}

function failureOf(error: unknown): unknown {
  if (!(error instanceof MariaDbFailure)) return error;
  const [, number = '0', line, why = ''] = REFUSAL.exec(error.said) ?? [];
  if (line !== undefined && !isOfClient(Number(number)))
    return fail.import_failed(escapeControl(`line ${line}: ${why}`), { cause: error });
  return TOO_LONG.test(error.said)
    ? fail.import_failed(`a statement has more than ${LIMITS.dataBytes} bytes`, { cause: error })
    : programFailure(error);
}
