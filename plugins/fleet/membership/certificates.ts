import { createHash, X509Certificate } from 'node:crypto';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import type { Membership } from '../../../kernel/contract/node-info.ts';
import { newPrivateKey, signCertificate } from '../../../kernel/kit/net/x509.ts';
import type { MemberKey } from '../store.ts';

/** The certificate authority of a fleet; PEM. */
export interface Authority {
  readonly certificate: string;
  readonly key: string;
}

/** The certificate of a node; PEM. */
export interface NodeCertificate {
  readonly certificate: string;
  readonly key: string;
}

const AUTHORITY_DAYS = 20 * 365;
/** A running node renews its certificate when a third of this is left. */
const NODE_DAYS = 365;
const DOMAIN = 'fleet.hostkeep';

/** The part of another node that a node asks: one of its addresses, or a plugin. */
export type Destination = Address | 'direct';

/** The host name under which a node answers what is for a destination; it exists in this traffic only. */
export const certificateHost = (destination: Destination, node: string): string => `${destination}.${node}.${DOMAIN}`;

/** Returns what a node is asked for by a host name; `undefined` if that names nothing of its own. */
export const parseDestination = (host: unknown, node: string): Destination | undefined =>
  (['user', 'admin', 'direct'] as const).find((destination) => certificateHost(destination, node) === host);

/** Returns what tells the key of a certificate from all others. */
export function digestKey(certificate: string | Uint8Array): string {
  const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(key).digest('base64url');
}

/** Returns what a node shows to be known as a member. */
export const memberKey = ({ name, certificate }: Membership): MemberKey => ({
  name,
  keyDigest: digestKey(certificate),
});

export async function makeAuthority(): Promise<Authority> {
  const key = newPrivateKey();
  const certificate = await signCertificate({
    subject: DOMAIN,
    key,
    issuer: DOMAIN,
    issuerKey: key,
    days: AUTHORITY_DAYS,
  });
  return { certificate, key };
}

/** Certifies a node's key, or a new one. The key stays the same over renewals, because the other nodes know the node by it. */
export async function certify(
  { key: issuerKey }: Authority,
  node: string,
  key = newPrivateKey(),
  days = NODE_DAYS,
): Promise<NodeCertificate> {
  const hosts = (['user', 'admin'] as const).map((address) => certificateHost(address, node));
  return { certificate: await signCertificate({ subject: node, key, issuer: DOMAIN, issuerKey, days, hosts }), key };
}

/** Returns the part of a certificate's time that is left: 1 when it begins, 0 or less when it is over. */
export function partLeft(certificate: string): number {
  const { validFrom, validTo } = new X509Certificate(certificate);
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  return (to - Date.now()) / (to - from);
}
