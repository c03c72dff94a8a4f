import { createHash } from 'node:crypto';

/**
 * A statement as PostgreSQL takes it, with a name by which a connection prepares it once. The name follows from the text, so that
 * processes whose connections a proxy shares never run each other's statements.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Words of the store's statements that PostgreSQL has under other names. */
const FUNCTIONS: Readonly<Record<string, string>> = { instr: 'strpos', json_each: 'json_array_elements_text' };
const TOKEN = /'(?:[^']|'')*'|\?(\d*)|\b(instr|json_each)(?=\()/g;

/** Rewritten statements, never evicted: SQL texts are constants, so there are few. */
const known = new Map<string, Statement>();

/** Returns a statement of the store's dialect (`Store`) in that of PostgreSQL. */
export function toStatement(sql: string): Statement {
  let statement = known.get(sql);
  if (statement === undefined) {
    const text = rewritten(sql);
    known.set(
      sql,
      (statement = { name: `hostkeep_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`, text }),
    );
  }
  return statement;
}

/** The same for an `insert` of one row, which then returns its `id`. */
export const toInsert = (sql: string): Statement => toStatement(`${sql} returning id`);

function rewritten(sql: string): string {
  let last = 0;
  return sql.replace(TOKEN, (token, number: string | undefined, word: string | undefined) => {
    if (word !== undefined) return FUNCTIONS[word] ?? word;
    return number === undefined ? token : `$${number === '' ? (last += 1) : number}`;
  });
}
