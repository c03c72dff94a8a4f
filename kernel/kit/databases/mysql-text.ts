/** Texts and errors of MySQL and MariaDB, as all that speak with such a server need them. */

/** Returns the name of a database, a table and the like as it stands in a statement. */
export const identifier = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

/** Returns a text as it stands in a statement; backslashes escape, which they do in an empty SQL mode. */
export const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** Returns the name of a database as a pattern of a grant that matches nothing else. */
export const quotedInPattern = (name: string): string => name.replace(/[\\_%]/g, '\\$&');

export interface UserName {
  readonly name: string;
  readonly host: string;
}

/** Returns a user as it stands in a statement. */
export const quotedUser = ({ name, host }: UserName): string => `${literal(name)}@${literal(host)}`;

/** Returns a user as people read it. */
export const userText = ({ name, host }: UserName): string => `${name}@${host}`;

/** The server rejected the statement. All other errors of a query concern the connection. */
export interface SqlError extends Error {
  readonly code: string;
  readonly errno: number;
  readonly sqlState: string;
}

export function isSqlError(error: unknown): error is SqlError {
  return error instanceof Error && typeof (error as Partial<SqlError>).sqlState === 'string';
}

/** Whether an error is the server's or the connection's: those of the driver have a code in letters, and all others are the program's own. */
export const isDriverError = (error: Error): boolean => 'code' in error && typeof error.code === 'string';
