import { createHmac } from 'node:crypto';
import type { Target } from './target.ts';

/** A signed address holds for an hour at least, and stays the same for an hour, so that clients may cache what is there. */
const HOUR_SECONDS = 3600;

export interface Wish {
  readonly width: number;
  readonly refresh: boolean;
}

/** The address of a picture on the remote service, signed where there is a key. `nowMs` is milliseconds since 1970. */
export function remoteUrl(
  template: string,
  key: string,
  { domain, url }: Target,
  { width, refresh }: Wish,
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
