/** Sizes, durations and dates as the docker CLI prints them (by the rules of its package go-units). */

const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y'];
const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];

/** `1.23MB` with 3 digits, `1.984MB` with 4; `0B`. A size that rounds up to 1000 is written in the next unit. */
export function decimalSize(bytes: number, digits = 4): string {
  const [size, prefix] = scaled(bytes, 1000, (rest) => Number(rest.toPrecision(digits)));
  return `${Number(size.toPrecision(digits))}${prefix}B`;
}

/** `320.3MiB`, `3GiB`, `0B`: four digits. Unlike `decimalSize`, a size just below a unit is written as `1024KiB`. */
export function binarySize(bytes: number): string {
  const [size, prefix] = scaled(bytes, 1024, (rest) => rest);
  return `${Number(size.toPrecision(4))}${prefix === '' ? '' : `${prefix.toUpperCase()}i`}B`;
}

function scaled(bytes: number, base: number, shown: (rest: number) => number): [size: number, prefix: string] {
  let [size, unit] = [bytes, 0];
  for (; unit < PREFIXES.length - 1 && shown(size) >= base; unit += 1) size /= base;
  return [size, PREFIXES[unit] ?? ''];
}

/** `0.15 %` */
export const percent = (value: number): string => `${value.toFixed(2)} %`;

/** `Less than a second`, `5 seconds`, `About an hour`, `3 days` */
export function duration(seconds: number): string {
  const whole = Math.floor(seconds);
  if (whole < 1) return 'Less than a second';
  if (whole < MINUTE) return whole === 1 ? '1 second' : `${whole} seconds`;
  const minutes = Math.floor(whole / MINUTE);
  if (minutes < 60) return minutes === 1 ? 'About a minute' : `${minutes} minutes`;
  const hours = Math.floor(seconds / HOUR + 0.5);
  if (hours < 48) return hours === 1 ? 'About an hour' : `${hours} hours`;
  const days = hours / 24;
  if (days < 14) return `${Math.floor(days)} days`;
  if (days < 60) return `${Math.floor(days / 7)} weeks`;
  if (days < 730) return `${Math.floor(days / 30)} months`;
  return `${Math.floor(seconds / DAY / 365)} years`;
}

/** `2026-11-20 12:20:16 +0000 UTC`, from seconds since 1970. */
export const createdAt = (seconds: number): string => `${shortTime(seconds * 1000).replace('T', ' ')} +0000 UTC`;

/** `2026-11-20 12:20:16.5 +0000 UTC`, from RFC 3339 in UTC; empty for anything else. */
export function goTime(time: string): string {
  const [, date, clock, fraction = ''] = /^([\d-]{10})T([\d:]{8})(\.\d*[1-9])?\.?0*Z$/.exec(time) ?? [];
  return date === undefined ? '' : `${date} ${clock}${fraction} +0000 UTC`;
}

/** `2026-11-20-12-20-16` in UTC, from milliseconds since 1970. */
export const dateText = (ms: number): string => shortTime(ms).replaceAll(/[T:]/g, '-');
const shortTime = (ms: number): string => isoTime(ms).slice(0, 19);

/** Quotes a text with Go's escapes (`strconv.Quote`). */
export function quoted(text: string): string {
  const escaped = text.replaceAll(/["\\\u0000-\u001f\u007f]/g, (character) => {
    const code = character.charCodeAt(0);
    const letter = /["\\]/.test(character) ? character : 'abtnvfr'[code - 7];
    return `\\${letter ?? `x${code.toString(16).padStart(2, '0')}`}`;
  });
  return `"${escaped}"`;
}

/** An engine may send any number; one outside the range of dates is shown as 1970. */
export function isoTime(ms: number): string {
  const date = new Date(ms);
  return (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 ? new Date(0) : date).toISOString();
}
