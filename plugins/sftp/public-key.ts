import { createHash, createPublicKey, type JsonWebKey } from 'node:crypto';
import { errorMessage } from '../../kernel/errors.ts';

/** A public key of SSH (RFC 4253, RFC 5656, RFC 8709). */
export interface PublicKey {
  /** Such as `ssh-ed25519`. */
  readonly type: string;
  /** As SSH sends it, in Base64. */
  readonly blob: string;
  /** As `ssh-keygen -l` prints it. */
  readonly fingerprint: string;
}

/** Says what is wrong with a key. */
export class Unusable extends Error {}

const SMALLEST_RSA_BITS = 2048;
const LARGEST_RSA_BITS = 8192;
const CURVES: Readonly<Record<string, string>> = { nistp256: 'P-256', nistp384: 'P-384', nistp521: 'P-521' };
const TYPE = /^(?:ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521))$/;
const BASE64 = /^[A-Za-z0-9+/]{1,4096}={0,2}$/;
/** Characters that could break or disguise a line. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const COMMENT_CHARACTERS = 200;

/** Reads a line of a `.pub` file: type, key, comment. Throws `Unusable`. */
export function readPublicKeyLine(text: string): PublicKey & { readonly comment: string } {
  const line = text.trim();
  if (/PRIVATE KEY/.test(line)) throw new Unusable('this is a private key, which you should give to nobody');
  if (UNPRINTABLE.test(line)) throw new Unusable('a key is one line without control characters');
  const [type = '', blob = '', ...comment] = line.split(' ').filter((word) => word !== '');
  if (!TYPE.test(type))
    throw new Unusable('a key begins with ssh-ed25519, ssh-rsa or ecdsa-sha2-nistp256, -384 or -521, without options');
  const key = readPublicKey(blob);
  if (key.type !== type) throw new Unusable(`this key is not ${type}, but ${key.type}`);
  if ([...comment.join(' ')].length > COMMENT_CHARACTERS)
    throw new Unusable(`a comment has ${COMMENT_CHARACTERS} characters at most`);
  return { ...key, comment: comment.join(' ') };
}

/** Reads a key as SSH sends it, in Base64. Throws `Unusable`. */
export function readPublicKey(blob: string): PublicKey {
  const bytes = Buffer.from(blob, 'base64');
  if (!BASE64.test(blob) || bytes.toString('base64') !== blob) throw new Unusable('the key is not whole');
  const fields = readFields(bytes);
  const type = fields[0]?.toString('latin1') ?? '';
  if (!TYPE.test(type)) throw new Unusable('the key is of an unknown type');
  try {
    assertUsable(type, fields);
  } catch (error) {
    throw error instanceof Unusable ? error : new Unusable(`the key is not valid: ${errorMessage(error)}`);
  }
  const digest = createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '');
  return { type, blob, fingerprint: `SHA256:${digest}` };
}

/** Returns a key in the form of RFC 4716, which ProFTPD reads; its lines have 72 bytes at most. */
export function publicKeyFile(blob: string): string {
  const lines = blob.match(/.{1,70}/g) ?? [];
  return ['---- BEGIN SSH2 PUBLIC KEY ----', ...lines, '---- END SSH2 PUBLIC KEY ----', ''].join('\n');
}

/** Splits strings, each with its length before it (RFC 4251, section 5). */
function readFields(bytes: Buffer): Buffer[] {
  const fields: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = at + 4 <= bytes.length ? bytes.readUInt32BE(at) : Infinity;
    if (at + 4 + length > bytes.length) throw new Unusable('the key is not whole');
    fields.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return fields;
}

function assertUsable(type: string, [, ...fields]: readonly Buffer[]): void {
  if (type === 'ssh-rsa') return assertRsa(fields);
  const [first = Buffer.alloc(0), point, more] = type === 'ssh-ed25519' ? [undefined, ...fields] : fields;
  if (point === undefined || more !== undefined) throw new Unusable('the key is not whole');
  if (type === 'ssh-ed25519') return parse({ kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') });
  const curve = first.toString('latin1');
  const crv = CURVES[curve];
  if (crv === undefined || type !== `ecdsa-sha2-${curve}` || point[0] !== 4 || point.length % 2 !== 1)
    throw new Unusable('the curve of the key is not the one that it names');
  const half = (point.length + 1) / 2;
  parse({
    kty: 'EC',
    crv,
    x: point.subarray(1, half).toString('base64url'),
    y: point.subarray(half).toString('base64url'),
  });
}

function assertRsa([exponent, modulus, more]: readonly Buffer[]): void {
  if (exponent === undefined || modulus === undefined || more !== undefined) throw new Unusable('the key is not whole');
  const [e, n] = [readInteger(exponent), readInteger(modulus)];
  const bits = n.length * 8 - Math.clz32(n[0] ?? 0) + 24;
  if (bits < SMALLEST_RSA_BITS || bits > LARGEST_RSA_BITS)
    throw new Unusable(`an RSA key has ${SMALLEST_RSA_BITS} to ${LARGEST_RSA_BITS} bits, and this one ${bits}`);
  const isOdd = (bytes: Buffer) => ((bytes.at(-1) ?? 0) & 1) === 1;
  if (!isOdd(n) || !isOdd(e) || e.length > 8 || (e.length === 1 && (e[0] ?? 0) < 3))
    throw new Unusable('the numbers of the RSA key are not those of a key');
  parse({ kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') });
}

/** Returns a positive number of the wire without the zero before it. */
function readInteger(bytes: Buffer): Buffer {
  const isPadded = bytes[0] === 0 && ((bytes[1] ?? 0) & 0x80) !== 0;
  if (bytes.length === 0 || (!isPadded && (bytes[0] === 0 || ((bytes[0] ?? 0) & 0x80) !== 0)))
    throw new Unusable('the numbers of the RSA key are not those of a key');
  return isPadded ? bytes.subarray(1) : bytes;
}

/** Throws for what OpenSSL takes for no key, such as a point that is not on its curve. */
function parse(key: JsonWebKey): void {
  createPublicKey({ key, format: 'jwk' });
}
