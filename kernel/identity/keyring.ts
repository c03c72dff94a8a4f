import { createCipheriv, createDecipheriv, randomBytes, type webcrypto } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import { createFileSync, removeLeftovers, replaceFileSync } from '../system/atomic-file.ts';
import type { Role } from './accounts.ts';

const ISSUER = 'hostkeep';
const FILE = 'keys.json';
const SEALING_BYTES = 32;
const OWNER_ONLY = { mode: 0o600, flush: true } as const;
/** Longer ones are refused unread. Ours are about 300 characters. */
const TOKEN_LIMIT = 2048;
/** By so many seconds a clock may be set back without a token that was just given being of the future. When one ends, its session says. */
const CLOCK_LEEWAY_S = 60;

interface KeyFile {
  /** HMAC keys of tokens, base64url, the newest first: it signs, the others still verify. */
  signing: { kid: string; secret: string }[];
  /** Seals secrets of the store, base64url. */
  sealing: string;
}

interface Claims {
  readonly sub: string;
  readonly aud: Role;
  readonly jti: string;
  /** Seconds since 1970. */
  readonly iat: number;
  readonly exp: number;
}

/** The node's keys: signs and verifies tokens (JWT, HS256), and seals secrets that the store keeps. */
export class Keyring {
  readonly #file: string;
  #signing = new Map<string, Promise<webcrypto.CryptoKey>>();
  #sealing = Buffer.alloc(0);
  #kid = '';

  private constructor(file: string) {
    this.#file = file;
  }

  /** Whether a data folder has keys already. */
  static exist(dataDir: string): boolean {
    return existsSync(join(dataDir, FILE));
  }

  /** Reads `keys.json` of the data folder; made at the first start, readable by its owner only. */
  static open(dataDir: string): Keyring {
    const keys = new Keyring(join(dataDir, FILE));
    keys.#create();
    removeLeftovers(keys.#file);
    keys.reload();
    return keys;
  }

  /** Reads the file again, as after a rotation by another process. */
  reload(): void {
    const { signing, sealing } = this.#read();
    const importKey = (secret: string) =>
      crypto.subtle.importKey('raw', Buffer.from(secret, 'base64url'), { name: 'HMAC', hash: 'SHA-256' }, false, [
        'sign',
        'verify',
      ]);
    this.#signing = new Map(signing.map(({ kid, secret }) => [kid, importKey(secret)]));
    this.#sealing = Buffer.from(sealing, 'base64url');
    this.#kid = signing[0]?.kid ?? '';
  }

  /** Puts a new signing key first; the one before it stays, so that tokens in use stay valid until they expire. */
  rotate(): string {
    const content = this.#read();
    const key = newKey();
    const next: KeyFile = { ...content, signing: [key, ...content.signing.slice(0, 1)] };
    replaceFileSync(this.#file, JSON.stringify(next), OWNER_ONLY);
    this.reload();
    return key.kid;
  }

  async sign({ sub, aud, jti, iat, exp }: Claims): Promise<string> {
    const key = await this.#signing.get(this.#kid);
    if (key === undefined) throw new Error(`${this.#file} holds no signing key`);
    return new SignJWT()
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: this.#kid })
      .setIssuer(ISSUER)
      .setSubject(sub)
      .setAudience(aud)
      .setJti(jti)
      .setIssuedAt(iat)
      .setNotBefore(iat)
      .setExpirationTime(exp)
      .sign(key);
  }

  /** The claims of a token of ours that is valid now, else `undefined`; why not is nobody's business. */
  async verify(token: string): Promise<Claims | undefined> {
    if (token.length > TOKEN_LIMIT) return undefined;
    try {
      const { payload } = await jwtVerify(token, (header) => this.#keyOf(header.kid), {
        algorithms: ['HS256'],
        issuer: ISSUER,
        clockTolerance: CLOCK_LEEWAY_S,
        requiredClaims: ['sub', 'aud', 'jti', 'iat', 'nbf', 'exp'],
      });
      const { sub, aud, jti, iat, exp } = payload;
      if (aud !== 'user' && aud !== 'admin') return undefined;
      return sub === undefined || jti === undefined || iat === undefined || exp === undefined
        ? undefined
        : { sub, aud, jti, iat, exp };
    } catch {
      return undefined;
    }
  }

  /** Encrypts (AES-256-GCM) for the store; `context` binds the result to its place there. */
  seal(text: string, context: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#sealing, nonce).setAAD(Buffer.from(context));
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
      'base64url',
    );
  }

  /** Throws when the text was not sealed with this node's key for this context. */
  unseal(sealed: string, context: string): string {
    const bytes = Buffer.from(sealed, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', this.#sealing, bytes.subarray(0, 12))
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
  }

  #keyOf(kid: string | undefined): Promise<webcrypto.CryptoKey> {
    const key = this.#signing.get(kid ?? '');
    if (key === undefined) throw new Error('unknown key');
    return key;
  }

  #read(): KeyFile {
    const text = readFileSync(this.#file, 'utf8');
    try {
      const content = JSON.parse(text) as KeyFile;
      if (content.signing.length > 0 && Buffer.from(content.sealing, 'base64url').length === SEALING_BYTES)
        return content;
    } catch {
      // what it holds instead may be a part of the keys, and is not told
    }
    throw new Error(`${this.#file} is damaged: put that of a backup in place`);
  }

  /** Fails where the file exists, so that two processes that start at once agree on one. */
  #create(): void {
    if (existsSync(this.#file)) return;
    const content: KeyFile = { signing: [newKey()], sealing: randomBytes(SEALING_BYTES).toString('base64url') };
    createFileSync(this.#file, JSON.stringify(content), OWNER_ONLY);
  }
}

function newKey(): { kid: string; secret: string } {
  return { kid: randomBytes(6).toString('base64url'), secret: randomBytes(32).toString('base64url') };
}
