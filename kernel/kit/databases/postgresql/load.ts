import { escapeControl } from '../../../log.ts';
import { databaseFail as fail } from '../errors.ts';
import { isVerdict, PostgresqlClient, type ClientOptions, type PostgresqlLogin } from './client.ts';
import { DumpFault, DumpReader, type DumpStatement } from './dump-reader.ts';

/** As psql has it, apart from the time of a statement, which is that of the user. */
const SETTINGS = ['client_min_messages=error'];
/** Statements about extensions, which stay, about what servers of other versions know, and about owners, who are those of the database here. */
const LEFT_OUT = [
  /^alter\s[^;']*\sowner\s+to\s+\S+$/i,
  /^drop\s+extension\s+if\s+exists\s/i,
  /^comment\s+on\s+(?:extension|schema\s+public)\b/i,
  /^set\s+(?:session\s+)?(?:transaction_timeout|default_table_access_method)\b/i,
];
/** Statements about rights, for a database whose rights are its own. */
export const ABOUT_RIGHTS = [/^alter\s+default\s+privileges\s/i, /^(?:grant|revoke)\s/i];
const SHORT = 10_000;

/**
 * Runs the statements of a dump one after another, apart from those that `leftOut` matches, too. Errors: 422 `import_failed` with the line of the statement that fails, where all before it
 * stays; errors of `dump`, of the connection, and the reason of `signal`.
 */
export async function loadDump(
  login: PostgresqlLogin,
  { leftOut, ...options }: ClientOptions & { readonly leftOut: readonly RegExp[] },
  dump: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  await PostgresqlClient.use(login, { ...options, settings: SETTINGS }, async (client) => {
    const stop = () => client.destroy();
    signal.addEventListener('abort', stop);
    try {
      signal.throwIfAborted();
      const reader = new DumpReader(dump);
      for (let next = await read(reader); next !== undefined; next = await read(reader)) {
        const statement = next;
        if (isAnyOf([...LEFT_OUT, ...leftOut], statement.text)) continue;
        await client.load(statement.text, () => reader.rows()).catch((error: unknown) => refuse(error, statement));
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  });
}

/** Makes a dump one transaction, on the line of its first statement, so that errors name the lines of the dump; what is not whole is not committed. */
export async function* inTransaction<T extends Uint8Array>(dump: AsyncIterable<T>): AsyncGenerator<T | Buffer> {
  yield Buffer.from('begin; ');
  yield* dump;
  yield Buffer.from('\ncommit;\n');
}

const isAnyOf = (patterns: readonly RegExp[], text: string): boolean =>
  text.length < SHORT && patterns.some((each) => each.test(text));

function read(reader: DumpReader): Promise<DumpStatement | undefined> {
  return reader.next().catch((error: unknown) => {
    throw error instanceof DumpFault ? fail.import_failed(error.message, { cause: error }) : error;
  });
}

function refuse(error: unknown, { text, line }: DumpStatement): never {
  if (error instanceof DumpFault) throw fail.import_failed(error.message, { cause: error });
  if (!isVerdict(error)) throw error;
  const position = Number(error.position ?? 1) - 1;
  const at = line + (text.slice(0, position).match(/\n/g)?.length ?? 0);
  throw fail.import_failed(escapeControl(`line ${at}: ${error.message}`), { cause: error });
}
