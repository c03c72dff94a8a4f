import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

export const CertificatesConfig = Type.Object(
  {
    directory: Type.String({
      default: '',
      pattern: '^(https://[^\\s]+)?$',
      maxLength: 500,
      description:
        "URL of the directory of an authority that issues by ACME, such as https://acme-v02.api.letsencrypt.org/directory, whose terms you agree to by it; empty = no certificate is ordered, and sites without one of the customer's have a self-signed one",
    }),
    contact: Type.String({
      default: '',
      pattern: '^([^\\s@]+@[^\\s@]+)?$',
      maxLength: 254,
      description: 'E-mail address that the authority may write to; empty = none',
    }),
    ca_file: Type.String({
      default: '',
      description: 'File with the authorities of the certificate of the directory itself; empty = those of Node.js',
    }),
    resolvers: Type.Array(Type.String({ pattern: '^[0-9a-fA-F.:\\[\\]]+$' }), {
      default: [],
      maxItems: 4,
      description:
        'Addresses of the name servers that are asked for the addresses of domains; empty = those of the system',
    }),
    parallel: Type.Integer({ default: 4, minimum: 1, maximum: 32, description: 'Orders at a time, of this node' }),
    retry_seconds: Type.Integer({
      default: 3600,
      minimum: 0,
      maximum: 86_400,
      description: 'How soon a failed order is tried again; each further failure doubles it, to a day at most',
    }),
    check_seconds: Type.Integer({
      default: 60,
      minimum: 1,
      maximum: 3600,
      description: 'How often the domains are looked through for a certificate that is due',
    }),
    timeout_seconds: Type.Integer({
      default: 20,
      minimum: 1,
      maximum: 120,
      description: 'How long the authority may take for an answer',
    }),
    order_seconds: Type.Integer({
      default: 300,
      minimum: 1,
      maximum: 3600,
      description: 'How long a whole order may take',
    }),
  },
  { additionalProperties: false },
);
export type CertificatesConfig = Static<typeof CertificatesConfig>;

const time = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description: `${description}; RFC 3339, UTC` });

export const STATES = ['off', 'web_server', 'self_signed', 'pending', 'valid', 'expiring', 'expired'] as const;

/** More names than authorities take; of a customer's own certificate, the first ones are told. */
export const MOST_NAMES = 100;

export const CertificateEntry = NamedObject('Certificate', {
  domain_url: Type.String({ description: 'Lower-case ASCII form' }),
  state: Type.String({
    enum: [...STATES],
    description:
      'off = the web server speaks no HTTPS; web_server = the web server gets one by itself, and has none yet; self_signed = browsers ' +
      'warn, and none is ordered; pending = the same until one is issued; the others are about the certificate in place',
  }),
  is_own: Type.Boolean({ description: 'Whether the customer brought it; such a one is not renewed' }),
  issuer: Type.String({ description: 'Empty without a certificate' }),
  names: Type.Array(Type.String(), { maxItems: MOST_NAMES }),
  valid_from: time('null without a certificate'),
  valid_to: time('null without a certificate'),
  next_order_at: time('When one is ordered next; null for never'),
  last_error: Type.String({
    description:
      'Why the last order failed, or why the web server that gets one by itself serves none; empty if there is no such reason',
  }),
  force_https: Type.Boolean({ description: 'Whether plain HTTP leads to HTTPS' }),
  hsts: Type.Boolean({ description: 'Whether browsers are told to come over HTTPS only, for a year' }),
});
export type CertificateEntry = Static<typeof CertificateEntry>;

export const CertificateList = NamedObject('CertificateList', {
  certificates: Type.Array(CertificateEntry),
  is_issuing: Type.Boolean({ description: 'Whether this server orders certificates' }),
});
export type CertificateList = Static<typeof CertificateList>;
export const CertificateParams = Type.Object({
  domain: Type.String({
    minLength: 1,
    maxLength: 253,
    description: 'A domain of the account',
    examples: ['example.com'],
  }),
});
const pem = (description: string) => Type.String({ minLength: 1, maxLength: 32_768, description });
export const OwnCertificate = NamedObject('OwnCertificate', {
  certificate: pem('The certificate, then those of its issuers, the nearest first; PEM'),
  private_key: pem('RSA of at least 2048 bits, P-256 or P-384, without a passphrase; PEM'),
});
export type OwnCertificate = Static<typeof OwnCertificate>;
export const CertificateSettings = NamedObject('CertificateSettings', {
  force_https: Type.Optional(Type.Boolean()),
  hsts: Type.Optional(Type.Boolean({ description: 'Needs force_https' })),
});
export type CertificateSettings = Static<typeof CertificateSettings>;

/** A certificate with its key and what a site does with it, as it leaves with its account. */
export const KeptCertificate = Type.Object({
  ...OwnCertificate.properties,
  is_own: Type.Boolean(),
  force_https: Type.Boolean(),
  hsts: Type.Boolean(),
});
export type KeptCertificate = Static<typeof KeptCertificate>;
