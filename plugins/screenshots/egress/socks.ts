/** The SOCKS 5 messages (RFC 1928) that a browser sends, and the replies to them. */
import { ipText } from '../../../kernel/kit/net/ip.ts';

/** A name or a literal address, and a port. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

const VERSION = 5;
const CONNECT = 1;
/** No valid message is longer. */
export const MESSAGE_LIMIT_BYTES = 300;

export const NO_AUTHENTICATION = Uint8Array.of(VERSION, 0);
export const CONNECTED = Uint8Array.of(VERSION, 0, 0, 1, 0, 0, 0, 0, 0, 0);
export const NOT_ALLOWED = Uint8Array.of(VERSION, 2, 0, 1, 0, 0, 0, 0, 0, 0);

export class SocksError extends Error {}

/** Length of the greeting, or `undefined` until it is complete. Throws `SocksError` when it is not SOCKS 5. */
export function greetingLength(bytes: Uint8Array): number | undefined {
  if (bytes.length > 0 && bytes[0] !== VERSION) throw new SocksError('not a SOCKS 5 greeting');
  const length = 2 + (bytes[1] ?? 0);
  return bytes.length >= 2 && bytes.length >= length ? length : undefined;
}

/**
 * The destination and the length of a CONNECT request, or `undefined` until it is complete. Throws `SocksError` for any
 * other request.
 */
export function parseRequest(
  bytes: Uint8Array,
): { readonly destination: Destination; readonly length: number } | undefined {
  if (bytes.length < 5) return undefined;
  if (bytes[0] !== VERSION || bytes[1] !== CONNECT) throw new SocksError('not a SOCKS 5 CONNECT');
  const kind = bytes[3];
  const isName = kind === 3;
  const start = isName ? 5 : 4;
  const size = isName ? (bytes[4] ?? 0) : kind === 1 ? 4 : kind === 4 ? 16 : 0;
  if (size === 0) throw new SocksError('unknown address type');
  const end = start + size;
  if (bytes.length < end + 2) return undefined;
  const address = bytes.subarray(start, end);
  const host = isName ? Buffer.from(address).toString('latin1').toLowerCase().replace(/\.$/, '') : ipText(address);
  return { destination: { host, port: ((bytes[end] ?? 0) << 8) | (bytes[end + 1] ?? 0) }, length: end + 2 };
}
