import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';

/** A key that signs requests to a certificate authority: ES256 of RFC 7518. */
export class AccountKey {
  readonly #key: KeyObject;
  readonly #jwk: Readonly<Record<'crv' | 'kty' | 'x' | 'y', string>>;

  /** Takes a private key of the curve P-256; PEM. */
  constructor(pem: string) {
    this.#key = createPrivateKey(pem);
    const { crv = '', kty = '', x = '', y = '' } = createPublicKey(this.#key).export({ format: 'jwk' });
    this.#jwk = { crv, kty, x, y }; // in the order of RFC 7638
  }

  /** See RFC 7638. */
  get thumbprint(): string {
    return createHash('sha256').update(JSON.stringify(this.#jwk)).digest('base64url');
  }

  /** Returns the body of a request (RFC 8555, 6.2). Before there is an account, the key names itself; no payload reads. */
  sign(request: {
    readonly url: string;
    readonly nonce: string;
    readonly account: string | undefined;
    readonly payload: object | undefined;
  }): string {
    const { url, nonce, account, payload } = request;
    const header = { alg: 'ES256', nonce, url, ...(account === undefined ? { jwk: this.#jwk } : { kid: account }) };
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const body = { protected: encode(header), payload: payload === undefined ? '' : encode(payload) };
    const bytes = Buffer.from(`${body.protected}.${body.payload}`);
    const signature = sign('sha256', bytes, { key: this.#key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
    return JSON.stringify({ ...body, signature });
  }
}
