import type { UwsResponse } from './uws-types.ts';

/** Names and values, in the order in which they are written. */
export type Headers = readonly (readonly [string, string])[];

/** On every reply that does not say otherwise: what an account sees is nobody else's, and so in no shared cache. */
const NO_STORE = ['Cache-Control', 'no-store'] as const;
/** On every reply. */
const NO_SNIFF = ['X-Content-Type-Options', 'nosniff'] as const;
const CONTROL = /[\u0000-\u001f\u007f]/;

/** The headers of a reply that brings none of its own. */
export function writeFixed(res: UwsResponse): void {
  res.writeHeader(NO_STORE[0], NO_STORE[1]);
  res.writeHeader(NO_SNIFF[0], NO_SNIFF[1]);
}

/** A reply's own headers, and those of every reply. */
export function writeHeaders(res: UwsResponse, headers: Headers): void {
  writeEach(res, headers);
  if (!headers.some(([name]) => name === NO_STORE[0])) res.writeHeader(NO_STORE[0], NO_STORE[1]);
  res.writeHeader(NO_SNIFF[0], NO_SNIFF[1]);
}

/** Headers as they are, besides those of every reply. */
export function writeEach(res: UwsResponse, headers: Headers): void {
  for (const [name, value] of headers) res.writeHeader(name, value);
}

/** Before the first is written, so that a reply with a bad header becomes a whole other reply. */
export function assertHeaders(headers: Headers): void {
  for (const [name, value] of headers)
    if (CONTROL.test(name) || CONTROL.test(value))
      throw new Error(`control character in the reply header ${JSON.stringify(name)}`);
}
