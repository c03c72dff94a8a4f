import { timingSafeEqual } from 'node:crypto';
import { clientAddress, IpRanges } from '../../kit/net/ip.ts';
import type { UwsRequest } from '../uws.ts';

/** The header in which a proxy proves that it is one, if `proxy_secret` is set. */
const PROOF = 'x-proxy-secret';

/** Finds the address of a client in its request, and in the address of its connection. */
export interface ClientAddresses extends Pick<TrustedProxies, 'isEmpty' | 'clientOf' | 'saysHttps'> {
  /** The header with the id that a request has already; `undefined` if nobody may choose it. */
  readonly idHeader: string | undefined;
}

/** For requests that another node of the fleet admitted, which says where their clients are. */
export const FORWARDED: ClientAddresses = {
  isEmpty: false,
  idHeader: 'x-request-id',
  clientOf: (_socket, req) => req.getHeader('x-forwarded-for'),
  saysHttps: () => true,
};

/** The proxies whose X-Forwarded-For counts. */
export class TrustedProxies {
  readonly isEmpty: boolean;
  readonly idHeader = undefined;
  readonly #ranges: IpRanges;
  readonly #secret: Buffer;

  /** With a secret, an address alone is not enough: on loopback, any local process has it. */
  constructor(ranges: readonly string[], secret: string) {
    this.#ranges = new IpRanges(ranges);
    this.isEmpty = this.#ranges.isEmpty;
    this.#secret = Buffer.from(secret);
  }

  /** Whether any local process may choose the address that it is known by. */
  get trustsEveryProcess(): boolean {
    return this.#secret.length === 0 && ['127.0.0.1', '::1'].some((address) => this.#ranges.has(address));
  }

  /** Returns the client's address; `socket` is that of the connection. */
  clientOf(socket: string, req: UwsRequest): string {
    if (!this.#ranges.has(socket)) return socket;
    const hops: string[] = [];
    const proofs: string[] = [];
    req.forEach((name, value) => {
      if (name === 'x-forwarded-for') hops.push(value);
      if (name === PROOF) proofs.push(value);
    });
    // Joined, because a proxy may add its hop as a header of its own behind the client's (RFC 9110, section 5.3).
    return this.#isProven(proofs) ? clientAddress(socket, hops.join(','), this.#ranges) : socket;
  }

  /** Whether a trusted proxy says that the client speaks HTTPS with it. */
  saysHttps(socket: string, req: UwsRequest): boolean {
    if (this.isEmpty || !this.#ranges.has(socket)) return false;
    const proofs: string[] = [];
    req.forEach((name, value) => void (name === PROOF && proofs.push(value)));
    return this.#isProven(proofs) && req.getHeader('x-forwarded-proto').toLowerCase() === 'https';
  }

  #isProven(proofs: readonly string[]): boolean {
    if (this.#secret.length === 0) return true;
    const given = Buffer.from(proofs[0] ?? '');
    return proofs.length === 1 && given.length === this.#secret.length && timingSafeEqual(given, this.#secret);
  }
}
