import { MOST_NAMES } from '../../kernel/contract/points/web-server-part.ts';
import { DomainParams } from '../../kernel/areas/sites/domain-directory.ts';
import { NextCursor } from '../../kernel/kit/position.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

/**
 * Names of mail and login services, which an account must not take on the node: programs of the node and of other
 * accounts may reach them. No list can hold all names of others, and nothing here proves who owns a name.
 */
const WELL_KNOWN = [
  'amazon.com',
  'apple.com',
  'cloudflare.com',
  'facebook.com',
  'github.com',
  'gmail.com',
  'gmx.net',
  'google.com',
  'hotmail.com',
  'icloud.com',
  'instagram.com',
  'linkedin.com',
  'live.com',
  'microsoft.com',
  'microsoftonline.com',
  'office.com',
  'outlook.com',
  'paypal.com',
  'proton.me',
  'whatsapp.com',
  'yahoo.com',
  'youtube.com',
];

export const DomainsConfig = Type.Object(
  {
    forbidden: Type.Array(Type.String(), {
      default: ['localhost', 'localdomain', 'invalid', 'onion', 'arpa', ...WELL_KNOWN],
      description: 'Names that no account may add, including their subdomains and parents; replaces the default list',
    }),
    panel_hosts: Type.Array(Type.String(), {
      default: [],
      description:
        'Host names of the panel, refused like forbidden ones, in addition to the host name of the node and ' +
        'admin_hosts',
    }),
  },
  { additionalProperties: false },
);
export type DomainsConfig = Static<typeof DomainsConfig>;

const DomainUrl = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'A domain name, e.g. example.com or bücher.example',
  examples: ['example.com'],
});

export const NewDomain = NamedObject('NewDomain', {
  domain_url: DomainUrl,
  docroot: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      description:
        'Folder, absolute below the virtual root or relative to it; created if missing; defaults to <virtual ' +
        'root>/<domain>. The virtual root itself only for the first domain of the account',
    }),
  ),
});
export const RemovalQuery = Type.Object({
  with_subdomains: Type.Boolean({
    default: false,
    description: 'true deletes its subdomains too; without it, a domain that has some is refused',
  }),
});
export const DomainToDelete = NamedObject('DomainRemoval', { domain_url: DomainUrl, ...RemovalQuery.properties });

export const DomainSuspension = NamedObject('DomainSuspension', { suspended: Type.Boolean() });
export const DomainDocroot = NamedObject('DomainDocroot', {
  docroot: Type.String({
    minLength: 1,
    maxLength: 4096,
    description: 'As in POST /api/domains/new; the files in the folder before stay there',
  }),
});
export const DomainSpelling = NamedObject('DomainSpelling', {
  shown_as: Type.String({
    minLength: 1,
    maxLength: 253,
    description: 'The same name, in other case, e.g. MyShop.example',
  }),
});

export const NewAlias = NamedObject('NewAlias', { domain_url: DomainUrl, alias: DomainUrl });
export const AliasParams = Type.Object({
  alias: { ...DomainUrl, description: 'An alias of a domain of the account', examples: ['example.net'] },
});

export const AccountParams = Type.Object({
  username: Type.String({ minLength: 1, maxLength: 64, examples: ['jane'] }),
});
export const AccountDomainParams = Type.Object({ ...AccountParams.properties, ...DomainParams.properties });
export const DomainEntry = NamedObject('Domain', {
  domain_id: Type.Integer(),
  domain_url: Type.String({ description: 'Lower-case ASCII form' }),
  shown_as: Type.String({ description: 'How its owner writes it; in Unicode and lower case unless chosen otherwise' }),
  aliases: Type.Array(Type.String(), {
    maxItems: MOST_NAMES,
    description: 'Further names at which the same site answers, in lower-case ASCII form',
  }),
  docroot: Type.String({ description: 'As clients see it, e.g. /var/www/html/example.com' }),
  suspended: Type.Boolean({ description: 'Whether its owner has visitors get 503 and a page that says so' }),
  suspended_by_operator: Type.Boolean({ description: 'The same for an administrator; the owner cannot lift that' }),
  created_at: Type.String({ format: 'date-time', description: 'RFC 3339, UTC' }),
});
export type DomainEntry = Static<typeof DomainEntry>;

export const DomainList = NamedObject('DomainList', {
  domains: Type.Array(DomainEntry),
  total: Type.Integer(),
  domains_limit: Type.Integer({ description: 'Main domains that the plan allows; 0 for no limit' }),
  names_limit: Type.Integer({ description: 'Names that the plan allows, subdomains included; 0 for no limit' }),
  next_cursor: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: 'Cursor of the next page, where there are pages' }),
  ),
});
export const ListQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, description: 'Domains on a page; all on one unless given' }),
  ),
  cursor: Type.String({ maxLength: 253, default: '', description: 'next_cursor of the previous page' }),
});
export type ListQuery = Static<typeof ListQuery>;
export type DomainList = Static<typeof DomainList>;
export const DomainsQuery = Type.Object({
  q: Type.String({ maxLength: 253, default: '', description: 'Part of a name, in any case; all names unless given' }),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 }),
  cursor: Type.String({ maxLength: 253, default: '', description: 'next_cursor of the previous page' }),
});
export const DomainPage = NamedObject('DomainPage', {
  domains: Type.Array(
    NamedObject('OwnedDomain', {
      ...DomainEntry.properties,
      username: Type.String({ description: 'The account that has the domain' }),
      user_id: Type.Integer(),
    }),
  ),
  next_cursor: NextCursor,
});
export const DeletedDomain = NamedObject('DomainRemoved', { domain_url: Type.String(), deleted: Type.Literal(true) });

const Main = { domain_url: Type.String(), tld: Type.String({ description: 'Public suffix, e.g. co.uk' }) };
export const DockerDomains = NamedObject('DomainNames', {
  maindomains: Type.Array(NamedObject('MainDomain', Main)),
  subdomains: Type.Array(
    NamedObject('Subdomain', {
      ...Main,
      main_domain: Type.String({ description: 'The main domain of the account to which it belongs' }),
    }),
  ),
});
export type DockerDomains = Static<typeof DockerDomains>;
