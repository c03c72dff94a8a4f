/** Rights on a database that accounts give to their users: none reaches beyond the database. */
export const PRIVILEGES = [
  'ALTER',
  'ALTER ROUTINE',
  'CREATE',
  'CREATE ROUTINE',
  'CREATE TEMPORARY TABLES',
  'CREATE VIEW',
  'DELETE',
  'DROP',
  'EVENT',
  'EXECUTE',
  'INDEX',
  'INSERT',
  'LOCK TABLES',
  'REFERENCES',
  'SELECT',
  'SHOW VIEW',
  'TRIGGER',
  'UPDATE',
];

/** Those by which databases grow; not by which they shrink, such as DELETE and DROP. */
const GROWING: ReadonlySet<string> = new Set(['ALTER', 'CREATE', 'INDEX', 'INSERT', 'UPDATE']);

export const isGrowing = (privilege: string): boolean => GROWING.has(privilege);

/** Columns of `mysql.db` that are not named after what `grant` takes. */
const COLUMNS: Readonly<Record<string, string>> = { CREATE_TMP_TABLE: 'CREATE TEMPORARY TABLES' };

/** Returns the rights in a row of `mysql.db`, sorted. */
export function privilegesIn(row: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(row)
    .flatMap(([column, value]) => {
      const name = /^(.*)_priv$/i.exec(column)?.[1]?.toUpperCase();
      return name === undefined || value !== 'Y' ? [] : [COLUMNS[name] ?? name.replaceAll('_', ' ')];
    })
    .toSorted();
}
