/** Returns the name of a database, a table and the like as it stands in a statement. */
export const identifier = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

/** Returns a text as it stands in a statement; backslashes escape, which they do in an empty SQL mode. */
export const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
