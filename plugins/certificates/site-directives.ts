import { CHALLENGES, nginxTls, THUMBPRINT, type SiteDirectives } from '../../kernel/contract/points/web-server-part.ts';
import { readBoolean, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';

/** How a site answers over TLS. */
export interface SiteTls {
  /** Whether plain HTTP leads to HTTPS. */
  readonly isForced: boolean;
  /** Whether browsers are told to come over HTTPS only. */
  readonly hasHsts: boolean;
  /** Of the key with which certificates are ordered: the site proves with it that it is here; see `THUMBPRINT`. */
  readonly thumbprint: string;
  /** From whom a web server that gets certificates by itself gets that of the site; `null`: it chooses. */
  readonly authority: SiteAuthority | null;
}

/** Who issues certificates by ACME (RFC 8555). */
interface SiteAuthority {
  /** URL of the directory. */
  readonly directory: string;
  /** E-mail address that the authority may write to; empty = none. */
  readonly contact: string;
  /** Absolute path of a file with the authorities of the certificate of the directory itself; empty = those that are known. */
  readonly caFile: string;
}

/** Characters that mean nothing to Caddy between quotes. */
const PLAIN = /^[^\0-\x20\x7f"`\\{}$]{0,1000}$/;
const URL = new RegExp(PLAIN.source.replace('^', '^https://'));

const directives: SiteDirectives<SiteTls> = {
  stands: 'tls',
  read(part) {
    const { isForced, hasHsts, thumbprint, authority } = readMembers(part, [
      'isForced',
      'hasHsts',
      'thumbprint',
      'authority',
    ]);
    return {
      isForced: readBoolean(isForced),
      hasHsts: readBoolean(hasHsts),
      thumbprint: readText(thumbprint, THUMBPRINT),
      authority: authority === null ? null : readAuthority(authority),
    };
  },
  // A proof is asked for by plain HTTP, and answered whatever else the site does.
  nginx({ isForced, hasHsts, thumbprint }, { certificate, listenTls, tlsPort }) {
    if (certificate === '') return [];
    const proof = `^${CHALLENGES.replaceAll('.', '\\.')}([A-Za-z0-9_-]+)$`;
    return [
      ...nginxTls({ listenTls, certificate }),
      ...(thumbprint === ''
        ? []
        : [`location ~ "${proof}" {`, '    default_type text/plain;', `    return 200 "$1.${thumbprint}";`, '}']),
      ...(isForced
        ? [
            'if ($hostkeep_is_plain) {',
            `    return 308 https://$host${tlsPort === 443 ? '' : `:${tlsPort}`}$request_uri;`,
            '}',
          ]
        : []),
      ...(hasHsts ? ['add_header Strict-Transport-Security $hostkeep_hsts always;'] : []),
    ];
  },
  // It gets certificates by itself, and leads to HTTPS unless an address says otherwise.
  caddy({ hasHsts, authority }, { certificate }) {
    const hsts = hasHsts ? ['header Strict-Transport-Security "max-age=31536000"'] : [];
    if (certificate !== '') return [[`tls "${certificate}" "${certificate}"`, ...hsts].join('\n\t')];
    if (authority === null) return hsts;
    const named = { dir: authority.directory, email: authority.contact, trusted_roots: authority.caFile };
    const issuer = Object.entries(named).flatMap(([name, value]) => (value === '' ? [] : [`\t\t${name} "${value}"`]));
    return [['tls {', '\tissuer acme {', ...issuer, '\t}', '}', ...hsts].join('\n\t')];
  },
};
export default directives;

function readAuthority(value: unknown): SiteAuthority {
  const { directory, contact, caFile } = readMembers(value, ['directory', 'contact', 'caFile']);
  return { directory: readText(directory, URL), contact: readText(contact, PLAIN), caFile: readText(caFile, PLAIN) };
}
