import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import type * as X509 from '@peculiar/x509';
import { lazyPackage } from '../programs/lazy-package.ts';

/** Loaded by the few who make certificates. */
const loadX509 = lazyPackage<typeof X509>('@peculiar/x509', import.meta.url);
const DAY_MS = 86_400_000;
/** Certificates begin earlier, for machines whose clocks are behind. */
const CLOCK_LEEWAY_MS = DAY_MS;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

interface Signing {
  readonly subject: string;
  readonly key: string;
  readonly issuer: string;
  readonly issuerKey: string;
  readonly days: number;
  /** Host names of a server; an authority has none. */
  readonly hosts?: readonly string[];
}

/** Returns a new private key; PEM. */
export const newPrivateKey = (): string =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;

/** Resolves with a certificate of a key; PEM. */
export async function signCertificate({ subject, key, issuer, issuerKey, days, hosts }: Signing): Promise<string> {
  const x509 = loadX509();
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
          names(hosts),
        ];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    subject: `CN=${subject}`,
    issuer: `CN=${issuer}`,
    notBefore: new Date(Date.now() - CLOCK_LEEWAY_MS),
    notAfter: new Date(Date.now() + days * DAY_MS),
    signingAlgorithm: ALGORITHM,
    publicKey: await publicKey(key),
    signingKey: await privateKey(issuerKey),
    extensions: usage,
  });
  return certificate.toString('pem');
}

/** Resolves with the request for a certificate of a key (PKCS #10); DER. */
export async function certificateRequest(hosts: readonly string[], key: string): Promise<Buffer> {
  const request = await loadX509().Pkcs10CertificateRequestGenerator.create({
    signingAlgorithm: ALGORITHM,
    keys: { publicKey: await publicKey(key), privateKey: await privateKey(key) },
    extensions: [names(hosts)],
  });
  return Buffer.from(request.rawData);
}

const names = (hosts: readonly string[]) =>
  new (loadX509().SubjectAlternativeNameExtension)(hosts.map((value) => ({ type: 'dns', value })));

function publicKey(key: string) {
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return crypto.subtle.importKey('spki', der, ALGORITHM, true, ['verify']);
}

function privateKey(key: string) {
  const der = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  return crypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
}
