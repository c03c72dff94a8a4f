/** Recognises databases that are dropped while they are read, from errors of the server and of its programs. */
import { HttpError } from '../../../kernel/errors.ts';
import { isSqlError } from '../../../kernel/kit/databases/mysql-text.ts';
import { MariaDbFailure } from '../../../kernel/kit/databases/mariadb-programs.ts';

/** There is no such database, table or routine, or it was made again. */
const NUMBERS = [1049, 1146, 1305, 1412];
/** Programs name the number, or a table that was gone before they asked for it. */
const WORDS = new RegExp(`couldn't find table|doesn't exist|error:? (?:${NUMBERS.join('|')})\\b`, 'i');
/** Each does only what is still missing. */
const ATTEMPTS = 20;

/** Something was dropped before it was read. */
export class Vanished extends HttpError {}

/** Returns 503 `databases_unavailable` for a program that is missing or has failed, by what it said; other errors as they are. */
export function programFailure(error: unknown): unknown {
  if (!(error instanceof MariaDbFailure)) return error;
  return new (WORDS.test(error.said) ? Vanished : HttpError)('databases_unavailable', error.message);
}

/** Does what reads names and then what they name again, if that was dropped in between. */
export async function whileThingsGo<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const hasVanished = isSqlError(error) ? NUMBERS.includes(error.errno) : error instanceof Vanished;
      if (!hasVanished || attempt === ATTEMPTS) throw error;
    }
  }
}
