/** Whatever an endpoint asks for, it is tried again after so long. */
const LONGEST_MS = 3_600_000;
/** The one form of a date that is still sent (RFC 9110, IMF-fixdate). */
const HTTP_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/** For how long an answer asks to be left alone, in milliseconds: by `Retry-After` of 429 and 503, in seconds or as a date. 0 where it does not ask, at most an hour. */
export function retryAfterMs(status: number, retryAfter: string, now: number): number {
  if (status !== 429 && status !== 503) return 0;
  const ms = /^\d+$/.test(retryAfter)
    ? Number(retryAfter) * 1000
    : HTTP_DATE.test(retryAfter)
      ? Date.parse(retryAfter) - now
      : 0;
  return Number.isNaN(ms) ? 0 : Math.min(LONGEST_MS, Math.max(0, ms));
}
