import { escapeControl } from '../log.ts';

/** Formats milliseconds since 1970 as `YYYY-MM-DD HH:MM:SS` in UTC. */
export function formatTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

/** Returns a time for names of files: `20261121T234759Z`, so that they sort by age. */
export function timestamp(time: Date): string {
  return time.toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
}

const UNITS = ['', 'K', 'M', 'G', 'T', 'P', 'E'];

/** Formats bytes as `du -h` does: powers of 1024, rounded up, one decimal below 10 (`0`, `512`, `1.7M`, `12G`). */
export function formatSize(bytes: number): string {
  let power = 0;
  let scaled = bytes;
  for (; scaled >= 1024 && power < UNITS.length - 1; power += 1) scaled /= 1024; // exact: only the exponent changes
  if (power === 0) return String(bytes);
  const tenths = Math.ceil(scaled * 10);
  if (tenths < 100) return `${(tenths / 10).toFixed(1)}${UNITS[power]}`;
  const whole = Math.ceil(scaled);
  return whole < 1024 || power === UNITS.length - 1 ? `${whole}${UNITS[power]}` : `1.0${UNITS[power + 1]}`;
}

/** Formats a time to wait as people say it, rounded up: `45 s`, `12 min`, `23 h`. */
export function formatWait(seconds: number): string {
  if (seconds <= 60) return `${Math.ceil(seconds)} s`;
  return seconds <= 3600 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}

/** Returns a share in percent, with one decimal; 0 of 0 is 0. */
export function toPercent(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.round((part / whole) * 1000) / 10;
}

/** Returns rows as text, in columns as wide as their widest cell. Cells may come from customers, so they are escaped. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows.map((row) => row.map(escapeControl))];
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  const lineOf = (row: readonly string[]) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
  return all.map((row) => lineOf(row).trimEnd()).join('\n');
}
