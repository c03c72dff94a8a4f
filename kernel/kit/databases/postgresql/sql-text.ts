/** Texts of PostgreSQL: whatever stands in a statement and is no parameter is quoted here. */

/** Returns the name of a database, a role and the like as it stands in a statement. */
export function identifier(name: string): string {
  if (name === '' || name.includes('\0')) throw new Error('an empty name, or one with a zero byte');
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns a text as it stands in a statement, whatever `standard_conforming_strings` is. */
export function literal(text: string): string {
  if (text.includes('\0')) throw new Error('a text with a zero byte');
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}
