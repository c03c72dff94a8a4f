import { createHmac } from 'node:crypto';
import type { Target } from './target.ts';

/** A signed URL is valid for at least an hour and stays the same within the hour, so that clients can cache it. */
const HOUR_SECONDS = 3600;

interface RemoteRequest {
  readonly target: Target;
  readonly width: number;
  readonly refresh: boolean;
}

/** The URL of a screenshot on the remote service, signed when there is a key. `nowMs` is milliseconds since 1970. */
export function remoteUrl(
  template: string,
  key: string,
  { target: { domain, url }, width, refresh }: RemoteRequest,
  nowMs: number,
): string {
  const { pathname, search } = new URL(url);
  const values: Record<string, string> = {
    url,
    domain,
    path: pathname + search,
    width: String(width),
    refresh: String(refresh),
  };
  const filled = template.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    values[name] === undefined ? placeholder : encodeURIComponent(values[name]),
  );
  if (key === '') return filled;
  const expires = (Math.floor(nowMs / 1000 / HOUR_SECONDS) + 2) * HOUR_SECONDS;
  const unsigned = `${filled}${filled.includes('?') ? '&' : '?'}expires=${expires}`;
  return `${unsigned}&signature=${createHmac('sha256', key).update(unsigned).digest('hex')}`;
}
