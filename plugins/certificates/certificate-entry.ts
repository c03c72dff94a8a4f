import { X509Certificate } from 'node:crypto';
import type { Domain } from '../../kernel/areas/sites/domain-directory.ts';
import type { WebServerPart } from '../../kernel/contract/points/web-server-part.ts';
import type { Certificate } from './check-certificate.ts';
import { MOST_NAMES, type CertificateEntry, type KeptCertificate } from './schema.ts';
import { NO_CERTIFICATE, type DomainTls } from './store.ts';

const DAY_MS = 86_400_000;
/** A certificate expires soon when less than this is left, or less than a quarter of its time. */
const SOON_MS = 14 * DAY_MS;

export function expiresSoon({ validFrom, validTo }: Pick<DomainTls, 'validFrom' | 'validTo'>, now: number): boolean {
  return validTo - now < Math.min(SOON_MS, (validTo - validFrom) / 4);
}

/** Two thirds through its time, or a little earlier, so that those of one day are not renewed at once. */
export function renewalTime({ validFrom, validTo }: Pick<DomainTls, 'validFrom' | 'validTo'>): number {
  return Math.round(validFrom + (validTo - validFrom) * (2 / 3 - Math.random() / 30));
}

/** Whether visitors get a certificate of the domain: the one that is kept here, or one that the web server has got by itself. */
export function isCertified(
  { sealed, validTo }: Pick<DomainTls, 'sealed' | 'validTo'>,
  webServer: WebServerPart | undefined,
): boolean {
  return sealed !== undefined || (webServer?.certifies === true && validTo > 0);
}

/** Whether a domain has a certificate that outlives one of before, and is the customer's own if that was. */
export function isBetter(tls: DomainTls, { certificate, is_own: isOwn }: KeptCertificate): boolean {
  if (tls.sealed === undefined || tls.validTo < Date.now() || (isOwn && !tls.isOwn)) return false;
  return (tls.isOwn && !isOwn) || tls.validTo >= Date.parse(new X509Certificate(certificate).validTo);
}

interface Surroundings {
  readonly webServer: WebServerPart | undefined;
  /** Whether certificates are ordered for the account. */
  readonly isIssuing: boolean;
  readonly now: number;
}

/** Returns the state of a domain as clients see it. */
export function certificateEntry(name: string, tls: DomainTls, surroundings: Surroundings): CertificateEntry {
  const has = isCertified(tls, surroundings.webServer);
  const { issuer, names } = has ? tls : NO_CERTIFICATE;
  const orders = surroundings.isIssuing && !tls.isOwn && surroundings.webServer?.certifies !== true;
  return {
    domain_url: name,
    state: describeState(tls, surroundings),
    is_own: tls.isOwn,
    issuer,
    names: names.slice(0, MOST_NAMES),
    valid_from: has ? timeText(tls.validFrom) : null,
    valid_to: has ? timeText(tls.validTo) : null,
    next_order_at: orders && tls.tryAt > 0 ? timeText(tls.tryAt) : null,
    last_error: tls.problem,
    force_https: tls.forcesHttps,
    hsts: tls.hasHsts,
  };
}

export const timeText = (ms: number): string => new Date(ms).toISOString();

function describeState(tls: DomainTls, { webServer, isIssuing, now }: Surroundings): CertificateEntry['state'] {
  if (webServer?.takesTls !== true) return 'off';
  if (isCertified(tls, webServer)) return now >= tls.validTo ? 'expired' : expiresSoon(tls, now) ? 'expiring' : 'valid';
  if (webServer.certifies === true) return 'web_server';
  return isIssuing ? 'pending' : 'self_signed';
}

/** Returns what events say of a certificate. */
export const tellCertificate = ({ name }: Domain, { issuer, validTo }: Pick<Certificate, 'issuer' | 'validTo'>) => ({
  domain_url: name,
  issuer,
  valid_to: timeText(validTo),
});
