import type { UwsResponse } from './uws-types.ts';

/** Names and values, in the order in which they are written. */
export type Headers = readonly (readonly [string, string])[];

/** The default Cache-Control: replies are private to their account, so no cache may store them. */
const NO_STORE = ['Cache-Control', 'no-store'] as const;
/** Sent with every reply. */
const NO_SNIFF = ['X-Content-Type-Options', 'nosniff'] as const;
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Writes the headers of a reply that has none of its own. */
export function writeFixed(res: UwsResponse): void {
  res.writeHeader(NO_STORE[0], NO_STORE[1]);
  res.writeHeader(NO_SNIFF[0], NO_SNIFF[1]);
}

/** Writes a reply's own headers, and those of every reply. */
export function writeHeaders(res: UwsResponse, headers: Headers): void {
  writeEach(res, headers);
  if (!headers.some(([name]) => name === NO_STORE[0])) res.writeHeader(NO_STORE[0], NO_STORE[1]);
  res.writeHeader(NO_SNIFF[0], NO_SNIFF[1]);
}

/** Writes headers as they are, without those of every reply. */
export function writeEach(res: UwsResponse, headers: Headers): void {
  for (const [name, value] of headers) res.writeHeader(name, value);
}

/** Throws on control characters. Called before the first write, so that an error reply can still be sent instead. */
export function assertHeaders(headers: Headers): void {
  for (const [name, value] of headers)
    if (CONTROL.test(name) || CONTROL.test(value))
      throw new Error(`control character in the reply header ${JSON.stringify(name)}`);
}
