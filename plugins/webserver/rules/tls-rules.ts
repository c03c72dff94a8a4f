import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import {
  CHALLENGES,
  REDIRECT_TARGET,
  type ServerSite,
  type SiteAuthority,
  type SiteTls,
} from '../../../kernel/contract/points/web-server-part.ts';
import { HOST_NAME } from '../../../kernel/kit/net/host-port.ts';
import { readBoolean, readMembers, readText } from '../../../kernel/kit/verb-arguments.ts';

/** How a site answers over TLS, as the part with rights takes it: that has the certificate already. */
export interface TlsRule extends Omit<SiteTls, 'pem' | 'isSelfMade' | 'authority'> {
  /** See `certificateFile`; empty where the web server gets one by itself. */
  readonly certificate: string;
  /** From whom; `null` where there is one. */
  readonly authority: SiteAuthority | null;
}

/** The largest key with its certificates. */
export const PEM_BYTES = 65_536;
const FILE = /^hostkeep-[0-9a-f]{64}\.pem$/;
/** Characters that mean nothing to Caddy between quotes. */
const PLAIN = /^[^\0-\x20\x7f"`\\{}$]{0,1000}$/;
const URL = new RegExp(PLAIN.source.replace('^', '^https://'));
const THUMBPRINT = /^([A-Za-z0-9_-]{43})?$/;

/** Returns the name of the file of a key and its certificates: another content has another name. */
export const certificateFile = (pem: string): string =>
  `hostkeep-${createHash('sha256').update(pem).digest('hex')}.pem`;

export function tlsRule({ pem, authority, isForced, hasHsts, thumbprint }: SiteTls): TlsRule {
  const source = { certificate: pem && certificateFile(pem), authority: (pem === '' && authority) || null };
  return { ...source, isForced, hasHsts, thumbprint };
}

/** Checks a rule again, whatever its caller has checked. Errors: 400 `invalid_request`. */
export function readTls(value: unknown): TlsRule | null {
  if (value === null) return null;
  const given = readMembers(value, ['certificate', 'authority', 'isForced', 'hasHsts', 'thumbprint']);
  return {
    certificate: given.authority === null ? readText(given.certificate, FILE) : '',
    authority: given.authority === null ? null : readAuthority(given.authority),
    isForced: readBoolean(given.isForced),
    hasHsts: readBoolean(given.hasHsts),
    thumbprint: readText(given.thumbprint, THUMBPRINT),
  };
}

function readAuthority(value: unknown): SiteAuthority {
  const { directory, contact, caFile } = readMembers(value, ['directory', 'contact', 'caFile']);
  return { directory: readText(directory, URL), contact: readText(contact, PLAIN), caFile: readText(caFile, PLAIN) };
}

/** Checks the server's own site again. Errors: 400 `invalid_request`. */
export function readServerSite(value: unknown): ServerSite | null {
  if (value === null) return null;
  const { name, thumbprint, url } = readMembers(value, ['name', 'thumbprint', 'url']);
  const rest = { thumbprint: readText(thumbprint, THUMBPRINT), url: readText(url, REDIRECT_TARGET) };
  return { name: readText(name, HOST_NAME), ...rest };
}

/** Returns a private key and its certificates as they were given. Throws for anything else. */
export function readPem(value: unknown): string {
  const pem = readText(value, /^[\x20-\x7e\n]{1,65536}$/);
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----\n/g) ?? [];
  const key = createPrivateKey(pem).export({ type: 'pkcs8', format: 'pem' });
  const certificates = blocks.map((block) => new X509Certificate(block).toString());
  if (certificates.length === 0 || pem !== key + certificates.join(''))
    throw new Error('a key must be followed by its certificates, and nothing else');
  return pem;
}

interface TlsPlace {
  readonly domain: string;
  /** The path of the file of the certificate. */
  readonly certificate: string;
  /** The value of `listen`. */
  readonly listen: string;
  /** The port of HTTPS. */
  readonly port: number;
}

/** Versions that are not known to be weak. */
export const NGINX_PROTOCOLS = 'ssl_protocols TLSv1.2 TLSv1.3;';

/** Renders directives of nginx. A proof is asked for by plain HTTP, and answered whatever else the site does. */
export function nginxTls({ isForced, hasHsts, thumbprint }: TlsRule, place: TlsPlace): string {
  const proof = `^${CHALLENGES.replaceAll('.', '\\.')}([A-Za-z0-9_-]+)$`;
  return [
    `listen ${place.listen.replaceAll(';', ' ssl;')} ssl;`,
    `ssl_certificate "${place.certificate}";`,
    `ssl_certificate_key "${place.certificate}";`,
    NGINX_PROTOCOLS,
    ...(thumbprint === ''
      ? []
      : [`location ~ "${proof}" {`, '    default_type text/plain;', `    return 200 "$1.${thumbprint}";`, '}']),
    ...(isForced
      ? [
          'if ($hostkeep_is_plain) {',
          `    return 308 https://$host${place.port === 443 ? '' : `:${place.port}`}$request_uri;`,
          '}',
        ]
      : []),
    ...(hasHsts ? ['add_header Strict-Transport-Security $hostkeep_hsts always;'] : []),
  ].join('\n    ');
}

/** Renders directives of Caddy, which gets certificates by itself and leads to HTTPS unless an address says otherwise. */
export function caddyTls({ hasHsts, authority }: TlsRule, { certificate }: TlsPlace): string {
  const hsts = hasHsts ? ['header Strict-Transport-Security "max-age=31536000"'] : [];
  if (authority === null) return [`tls "${certificate}" "${certificate}"`, ...hsts].join('\n\t');
  const named = { dir: authority.directory, email: authority.contact, trusted_roots: authority.caFile };
  const issuer = Object.entries(named).flatMap(([name, value]) => (value === '' ? [] : [`\t\t${name} "${value}"`]));
  return ['tls {', '\tissuer acme {', ...issuer, '\t}', '}'].join('\n\t');
}
