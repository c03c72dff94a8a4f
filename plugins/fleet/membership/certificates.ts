import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import type * as X509 from '@peculiar/x509';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import type { Membership } from '../../../kernel/contract/node-info.ts';
import { lazyPackage } from '../../../kernel/kit/programs/lazy-package.ts';
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

/** Commands need it, and a node that renews its certificate. */
const loadX509 = lazyPackage<typeof X509>('@peculiar/x509', import.meta.url);
const AUTHORITY_DAYS = 20 * 365;
/** A running node renews its certificate when a third of this is left. */
const NODE_DAYS = 365;
const DAY_MS = 86_400_000;
/** Certificates begin earlier, for nodes whose clocks are behind. */
const CLOCK_LEEWAY_MS = DAY_MS;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
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
  const key = makeKey();
  const certificate = await sign({ subject: DOMAIN, key, issuer: DOMAIN, issuerKey: key, days: AUTHORITY_DAYS });
  return { certificate, key };
}

/** Certifies a node's key, or a new one. The key stays the same over renewals, because the other nodes know the node by it. */
export async function certify(
  { key: issuerKey }: Authority,
  node: string,
  key = makeKey(),
  days = NODE_DAYS,
): Promise<NodeCertificate> {
  const hosts = (['user', 'admin'] as const).map((address) => certificateHost(address, node));
  return { certificate: await sign({ subject: node, key, issuer: DOMAIN, issuerKey, days, hosts }), key };
}

/** Returns the part of a certificate's time that is left: 1 when it begins, 0 or less when it is over. */
export function partLeft(certificate: string): number {
  const { validFrom, validTo } = new X509Certificate(certificate);
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  return (to - Date.now()) / (to - from);
}

const makeKey = (): string =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;

interface Signing {
  readonly subject: string;
  readonly key: string;
  readonly issuer: string;
  readonly issuerKey: string;
  readonly days: number;
  /** Host names of a node; an authority has none. */
  readonly hosts?: readonly string[];
}

async function sign({ subject, key, issuer, issuerKey, days, hosts }: Signing): Promise<string> {
  const x509 = loadX509();
  const publicDer = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const privateDer = createPrivateKey(issuerKey).export({ type: 'pkcs8', format: 'der' });
  const usage =
    hosts === undefined
      ? [
          new x509.BasicConstraintsExtension(true, 0, true),
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
        ]
      : [
          new x509.BasicConstraintsExtension(false, undefined, true),
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
          new x509.ExtendedKeyUsageExtension([SERVER_AUTH, CLIENT_AUTH]),
          new x509.SubjectAlternativeNameExtension(hosts.map((value) => ({ type: 'dns', value }))),
        ];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    subject: `CN=${subject}`,
    issuer: `CN=${issuer}`,
    notBefore: new Date(Date.now() - CLOCK_LEEWAY_MS),
    notAfter: new Date(Date.now() + days * DAY_MS),
    signingAlgorithm: ALGORITHM,
    publicKey: await crypto.subtle.importKey('spki', publicDer, ALGORITHM, true, ['verify']),
    signingKey: await crypto.subtle.importKey('pkcs8', privateDer, ALGORITHM, false, ['sign']),
    extensions: usage,
  });
  return certificate.toString('pem');
}
