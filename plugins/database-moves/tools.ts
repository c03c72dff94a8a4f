/** Runs the programs of MariaDB for a move. */
import type { Readable } from 'node:stream';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import {
  describeMariaDb,
  dumpDatabase,
  findMariaDb,
  loadDatabase,
  type ServerLogin,
} from '../../kernel/kit/databases/mariadb-programs.ts';
import { programFailure } from './contents/vanished.ts';

/** Triggers would run while rows are loaded. */
const OPTIONS = ['--skip-triggers'];

/** Errors: 503 `databases_unavailable` if there is no such program. */
export async function assertProgram(which: Parameters<typeof findMariaDb>[0]): Promise<void> {
  await findMariaDb(which).catch(rethrow);
}

/** Tables of one database, and their rows, as statements. */
export async function* dumped(
  login: ServerLogin,
  database: string,
  tables: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  try {
    yield* dumpDatabase(login, { database, tables, options: OPTIONS }, signal);
  } catch (error) {
    throw programFailure(error);
  }
}

/** Runs such statements in a database. */
export async function load(login: ServerLogin, database: string, text: Readable, signal: AbortSignal): Promise<void> {
  const chunks = text.iterator({ destroyOnReturn: false }); // who sends it is to be answered if the program ends early
  await loadDatabase(login, database, chunks, signal).catch(rethrow);
}

/** For `hostkeep doctor`: whether there are all programs. */
export async function toolsFinding(): Promise<Finding> {
  const found = await describeMariaDb();
  return { name: 'programs that move databases', ...found, ...(!found.ok && { isWarning: true }) };
}

function rethrow(error: unknown): never {
  throw programFailure(error);
}
