import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Authority } from './certificates.ts';

/** The secrets for a node that joins. */
export interface FleetSecrets {
  /** The content of keys.json. */
  readonly keys: string;
  readonly authority: Authority;
}

/** No token begins with a hyphen, which would make it an option of the command that takes it. */
const PREFIX = 'hkf_';
const ID_BYTES = 8;
const SECRET_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** An invitation as its token has it; the store has `id`, and what `seal` made. */
export class Invitation {
  readonly id: string;
  readonly #secret: Buffer;

  private constructor(id: Buffer, secret: Buffer) {
    this.id = id.toString('base64url');
    this.#secret = secret;
  }

  static make(): Invitation {
    return new Invitation(randomBytes(ID_BYTES), randomBytes(SECRET_BYTES));
  }

  /** Throws if a text is no token. */
  static parse(token: string): Invitation {
    const text = token.trim();
    const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url');
    if (!text.startsWith(PREFIX) || bytes.length !== ID_BYTES + SECRET_BYTES)
      throw new Error('this is no token of `hostkeep fleet invite`: copy all of it');
    return new Invitation(bytes.subarray(0, ID_BYTES), bytes.subarray(ID_BYTES));
  }

  get token(): string {
    return PREFIX + Buffer.concat([Buffer.from(this.id, 'base64url'), this.#secret]).toString('base64url');
  }

  seal(secrets: FleetSecrets): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key(), nonce);
    const bytes = [nonce, cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(bytes).toString('base64url');
  }

  /** Throws unless it was sealed with this token. */
  open(sealed: string): FleetSecrets {
    const bytes = Buffer.from(sealed, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', this.#key(), bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString('utf8')) as FleetSecrets;
  }

  #key(): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#secret, this.id, 'hostkeep fleet invitation', 32));
  }
}
