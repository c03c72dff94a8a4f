import { createPrivateKey, createPublicKey, X509Certificate, type KeyObject } from 'node:crypto';
import { errorMessage } from '../../kernel/errors.ts';

/** A certificate without its key. */
export interface CertificateFacts {
  readonly names: readonly string[];
  /** The name of the issuer, for people. */
  readonly issuer: string;
  /** Milliseconds since 1970. */
  readonly validFrom: number;
  readonly validTo: number;
}

/** A key with its certificates, as it is stored and served. */
export interface Certificate extends CertificateFacts {
  /** The private key, the certificate, and those of its issuers, the nearest first. */
  readonly pem: string;
  /** Whether nobody but the certificate itself vouches for it. */
  readonly isSelfSigned: boolean;
}

/** Why a certificate cannot be used, in words for people. */
export class Unusable extends Error {}

const MOST_CERTIFICATES = 10;
const SMALLEST_RSA_BITS = 2048;
const CURVES = ['prime256v1', 'secp384r1'];
const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Checks that a private key fits the first certificate of a text, that each of the others issued the one before it, and that the
 * first is for all of the names, now. Throws `Unusable`.
 */
export function checkCertificate(chain: string, key: string, names: readonly string[], now: number): Certificate {
  const certificates = parseChain(chain);
  const [leaf, ...issuers] = certificates as [X509Certificate, ...X509Certificate[]];
  const privateKey = parseKey(key);
  if (!leaf.publicKey.equals(createPublicKey(privateKey)))
    throw new Unusable('the private key is not that of the first certificate');
  if (leaf.ca) throw new Unusable('the first certificate must be that of the domain, not that of an issuer');
  for (const [i, issuer] of issuers.entries())
    if (!isIssuedBy(certificates[i], issuer))
      throw new Unusable(
        `certificate ${i + 2} did not issue the one before it: each must follow the one that it issued`,
      );
  const missing = names.find((name) => leaf.checkHost(name, { subject: 'never' }) === undefined);
  if (missing !== undefined) throw new Unusable(`the certificate is not for ${missing}`);
  const facts = describeCertificate(leaf);
  if (now < facts.validFrom) throw new Unusable(`the certificate is not valid before ${leaf.validFrom}`);
  if (now >= facts.validTo) throw new Unusable(`the certificate expired on ${leaf.validTo}`);
  return {
    pem: privateKey.export({ type: 'pkcs8', format: 'pem' }) + certificates.map(String).join(''),
    isSelfSigned: isSelfSigned(leaf),
    ...facts,
  };
}

export const describeCertificate = (leaf: X509Certificate): CertificateFacts => ({
  names: namesIn(leaf),
  issuer: nameOf(leaf.issuer),
  validFrom: Date.parse(leaf.validFrom),
  validTo: Date.parse(leaf.validTo),
});

/** Returns the private key of a `Certificate`, and the certificates after it. */
export function splitPem(pem: string): [key: string, certificates: string] {
  const at = pem.indexOf('-----BEGIN CERTIFICATE');
  return [pem.slice(0, at), pem.slice(at)];
}

function parseChain(text: string): X509Certificate[] {
  const blocks = text.match(BLOCK) ?? [];
  if (blocks.length === 0) throw new Unusable('there is no certificate in the form of PEM');
  if (blocks.length > MOST_CERTIFICATES) throw new Unusable(`there are more than ${MOST_CERTIFICATES} certificates`);
  return blocks.map((block, i) => {
    try {
      return new X509Certificate(block);
    } catch (cause) {
      throw new Unusable(`certificate ${i + 1} cannot be read`, { cause });
    }
  });
}

/** Accepts what browsers take: RSA from 2048 bits, and the curves P-256 and P-384. */
function parseKey(text: string): KeyObject {
  if (text.includes('ENCRYPTED')) throw new Unusable('the private key is encrypted: remove its passphrase');
  let key: KeyObject;
  try {
    key = createPrivateKey(text);
  } catch {
    // the cause may quote the key
    throw new Unusable('there is no private key in the form of PEM');
  }
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  const isRsa = key.asymmetricKeyType === 'rsa' && modulusLength >= SMALLEST_RSA_BITS;
  const isCurve = key.asymmetricKeyType === 'ec' && CURVES.includes(namedCurve);
  if (!isRsa && !isCurve)
    throw new Unusable(`the key must be RSA of at least ${SMALLEST_RSA_BITS} bits, or of the curve P-256 or P-384`);
  return key;
}

function isIssuedBy(certificate: X509Certificate | undefined, issuer: X509Certificate): boolean {
  try {
    return certificate?.checkIssued(issuer) === true && certificate.verify(issuer.publicKey);
  } catch (error) {
    throw new Unusable(`a signature cannot be checked: ${errorMessage(error)}`, { cause: error });
  }
}

/** Whether a certificate is its own issuer, whatever it says that its key may be used for. */
export const isSelfSigned = (certificate: X509Certificate): boolean =>
  certificate.issuer === certificate.subject && certificate.verify(certificate.publicKey);

function namesIn({ subjectAltName = '' }: X509Certificate): string[] {
  return [...subjectAltName.matchAll(/(?:^|, )DNS:([^,\s"]+)/g)].map(([, name = '']) => name);
}

/** Returns the common name of an issuer or, without one, its organization. */
function nameOf(distinguished: string): string {
  const part = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(distinguished)?.[1];
  return (part('CN') ?? part('O') ?? '').slice(0, 200);
}
