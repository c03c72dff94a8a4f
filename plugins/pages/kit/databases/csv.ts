/** Returns rows as CSV (RFC 4180); what is null is empty without quotes. */
export function toCsv(rows: readonly (readonly (string | null)[])[]): string {
  const cell = (value: string | null) => (value === null ? '' : `"${value.replaceAll('"', '""')}"`);
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
