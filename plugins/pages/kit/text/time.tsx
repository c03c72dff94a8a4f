import { signal } from '@preact/signals';
import { dateTime, relative } from './i18n.ts';

/** Advances while the page is in sight, so that "2 minutes ago" stays true; what is drawn between goes by the clock itself. */
const now = signal(Date.now());
setInterval(() => document.visibilityState === 'visible' && (now.value = Date.now()), 30_000);

/** Reads what the API has as times: RFC 3339, or `YYYY-MM-DD HH:MM:SS` in UTC. */
export function parseTime(text: string): Date {
  return new Date(/[zZ]|[+-]\d\d:\d\d$/.test(text) ? text : `${text.replace(' ', 'T')}Z`);
}

/** A time in the zone of the browser; its title has UTC. */
export function Time({ at, isRelative }: { readonly at: Date | string; readonly isRelative?: boolean }) {
  const date = typeof at === 'string' ? parseTime(at) : at;
  if (Number.isNaN(date.getTime())) return <span>{String(at)}</span>;
  const utc = `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  return (
    <time dateTime={date.toISOString()} title={isRelative === true ? `${dateTime(date)} · ${utc}` : utc}>
      {isRelative === true ? relative(date, Math.max(now.value, Date.now())) : dateTime(date)}
    </time>
  );
}
