import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, type webcrypto } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import { createFileSync, removeLeftovers, replaceFileSync } from '../../kit/files/atomic-file.ts';
import { timestamp } from '../../kit/format.ts';
import type { Role } from '../accounts/account.ts';

const ISSUER = 'hostkeep';
const FILE = 'keys.json';
const SEALING_BYTES = 32;
const OWNER_ONLY = { mode: 0o600, flush: true } as const;
/** The maximum length of a token in characters; longer ones are not parsed. Issued tokens have about 300. */
const TOKEN_LIMIT = 2048;
/** Clock skew, in seconds, tolerated when checking `nbf`. Expiry is enforced by the session row. */
const CLOCK_LEEWAY_S = 60;

/** An HMAC key of tokens, base64url. */
export interface SigningKey {
  readonly kid: string;
  readonly secret: string;
}

interface KeyFile {
  /** Newest first. The first signs; all verify. */
  signing: SigningKey[];
  /** The key that encrypts secrets in the store, base64url. */
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

/** The node's keys, which sign and verify tokens (JWT, HS256) and encrypt secrets in the store. */
export class Keyring {
  readonly #file: string;
  #signing = new Map<string, Promise<webcrypto.CryptoKey>>();
  #sealing = Buffer.alloc(0);
  #kid = '';

  private constructor(file: string) {
    this.#file = file;
  }

  /** Whether the data folder has a `keys.json`. */
  static exist(dataDir: string): boolean {
    return existsSync(join(dataDir, FILE));
  }

  /** Reads `keys.json` in the data folder; creates it at the first start, readable by its owner only. */
  static open(dataDir: string): Keyring {
    const keys = new Keyring(join(dataDir, FILE));
    keys.#create();
    removeLeftovers(dataDir, FILE);
    keys.reload();
    return keys;
  }

  /** Creates `keys.json` with what another node gave (`copy`). One that is there stays beside it, under a name of the time. */
  static place(dataDir: string, content: string): void {
    const file = join(dataDir, FILE);
    if (existsSync(file)) renameSync(file, join(dataDir, `keys-${timestamp(new Date())}.json`));
    if (!createFileSync(file, content, OWNER_ONLY)) throw new Error(`somebody else has just made ${file}`);
  }

  /** Removes `keys.json`, if there is one. */
  static remove(dataDir: string): void {
    rmSync(join(dataDir, FILE), { force: true });
  }

  /** Rereads the file, which another process may have rotated. */
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

  /**
   * Adds a signing key and returns its id. Keeps the previous key, so that tokens in use stay valid until they expire.
   */
  rotate(): string {
    const content = this.#read();
    const key = newKey();
    const next: KeyFile = { ...content, signing: [key, ...content.signing.slice(0, 1)] };
    replaceFileSync(this.#file, JSON.stringify(next), OWNER_ONLY);
    this.reload();
    return key.kid;
  }

  /** Returns the signing keys that the file has now, newest first. */
  get signingKeys(): readonly SigningKey[] {
    return this.#read().signing;
  }

  /** Takes over the signing keys of another node of the fleet, newest first. */
  adopt(signing: readonly SigningKey[]): void {
    const content = this.#read();
    if (JSON.stringify(content.signing) !== JSON.stringify(signing))
      replaceFileSync(this.#file, JSON.stringify({ ...content, signing }), OWNER_ONLY);
    this.reload();
  }

  /** Returns the content of the file, all secrets included, for a node that joins the fleet. */
  copy(): string {
    return JSON.stringify(this.#read());
  }

  /** Resolves with a signed token of these claims. */
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

  /** Resolves with the claims of a valid token, or `undefined`; callers never learn why a token is invalid. */
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
      // anybody can send a token, and callers never learn why it is invalid
      return undefined;
    }
  }

  /** Returns a secret for a purpose, 64 hexadecimal digits; nodes with the same keys derive the same one (HKDF, RFC 5869). */
  derive(purpose: string): string {
    return Buffer.from(hkdfSync('sha256', this.#sealing, '', purpose, 32)).toString('hex');
  }

  /** Encrypts a text for the store (AES-256-GCM); `context` binds the result to its place there. */
  seal(text: string, context: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#sealing, nonce).setAAD(Buffer.from(context));
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
      'base64url',
    );
  }

  /** Decrypts a sealed text. Throws if it was not sealed with this node's key for this context. */
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
      // the parser's message is dropped: it may quote parts of the keys
    }
    throw new Error(`${this.#file} is damaged: restore it from a backup`);
  }

  /** Creates the file unless it exists. Never replaces it, so that two processes that start at once agree on one. */
  #create(): void {
    if (existsSync(this.#file)) return;
    const content: KeyFile = { signing: [newKey()], sealing: randomBytes(SEALING_BYTES).toString('base64url') };
    createFileSync(this.#file, JSON.stringify(content), OWNER_ONLY);
  }
}

function newKey(): SigningKey {
  return { kid: randomBytes(6).toString('base64url'), secret: randomBytes(32).toString('base64url') };
}
