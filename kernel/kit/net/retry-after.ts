/** The longest pause that a server can ask for. */
const LONGEST_MS = 3_600_000;
/** IMF-fixdate, the only date format that RFC 9110 lets senders use. */
const HTTP_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/** Returns the pause in milliseconds that a 429 or 503 asks for by `Retry-After`; 0 for any other answer. */
export function retryAfterMs(status: number, retryAfter: string, now: number): number {
  return status === 429 || status === 503 ? parseRetryAfter(retryAfter, now) : 0;
}

/** Returns the pause in milliseconds that seconds or a date ask for: at most an hour, and 0 for no valid value. */
export function parseRetryAfter(retryAfter: string, now: number): number {
  const ms = /^\d+$/.test(retryAfter)
    ? Number(retryAfter) * 1000
    : HTTP_DATE.test(retryAfter)
      ? Date.parse(retryAfter) - now
      : 0;
  return Number.isNaN(ms) ? 0 : Math.min(LONGEST_MS, Math.max(0, ms));
}
