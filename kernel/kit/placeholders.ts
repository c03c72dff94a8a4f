/** Returns the placeholders of rows, each of so many columns, as `values` of an `insert` takes them. */
export function placesForRows(rows: number, columns: number): string {
  const row = `(${Array<string>(columns).fill('?').join(', ')})`;
  return Array<string>(rows).fill(row).join(', ');
}
