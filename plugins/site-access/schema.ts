import { NamedObject, Type, type Static } from '../../kernel/schema.ts';
import { HASHED } from './hash-password.ts';
import { ERROR_STATUSES, MOST_BLOCKED, MOST_LOCKS, MOST_USERS, USER } from './site-directives.ts';

const FolderPath = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'Path of the folder as visitors see it, e.g. /private; it and all below it are protected',
});
const UserName = Type.String({ pattern: USER.source, description: 'Letters, digits and ._-' });
const ERROR_PAGE = {
  status: Type.Integer({ enum: [...ERROR_STATUSES] }),
  path: Type.String({ minLength: 1, maxLength: 512, description: 'Path of an HTML file of the site, e.g. /404.html' }),
};

export const SiteAccessEntry = NamedObject('SiteAccess', {
  domain_url: Type.String({ description: 'Lower-case ASCII form' }),
  folders: Type.Array(
    NamedObject('ProtectedFolder', {
      path: Type.String(),
      users: Type.Array(Type.String(), { maxItems: MOST_USERS, description: 'Names of those who may see it' }),
    }),
    { maxItems: MOST_LOCKS },
  ),
  blocked: Type.Array(Type.String(), { maxItems: MOST_BLOCKED, description: 'Addresses and ranges (CIDR)' }),
  error_pages: Type.Array(NamedObject('SiteErrorPage', ERROR_PAGE), { maxItems: ERROR_STATUSES.length }),
});
export type SiteAccessEntry = Static<typeof SiteAccessEntry>;
export const SiteAccessList = NamedObject('SiteAccessList', { sites: Type.Array(SiteAccessEntry) });

export const FolderUser = NamedObject('FolderUser', {
  path: FolderPath,
  name: UserName,
  password: Type.String({
    minLength: 8,
    maxLength: 72,
    pattern: '^[^\\u0000-\\u001f\\u007f]+$',
    description: 'At most 72 bytes in UTF-8; it cannot be read again',
  }),
});
export type FolderUser = Static<typeof FolderUser>;
export const FolderUserQuery = Type.Object({ path: FolderPath, name: UserName });
export const BlockedAddresses = NamedObject('BlockedAddresses', {
  addresses: Type.Array(Type.String({ minLength: 2, maxLength: 49 }), {
    maxItems: MOST_BLOCKED,
    description: 'All that are blocked from then on, e.g. 192.0.2.7 or 2001:db8::/32',
  }),
});
export const ErrorPages = NamedObject('SiteErrorPages', {
  error_pages: Type.Array(NamedObject('NewSiteErrorPage', ERROR_PAGE), {
    maxItems: ERROR_STATUSES.length,
    description: 'All that are shown from then on',
  }),
});
export type ErrorPages = Static<typeof ErrorPages>;

/** The access of a site with the hashes of its passwords, as it leaves with its account. */
export const KeptAccess = Type.Object({
  folders: Type.Array(
    Type.Object({
      path: FolderPath,
      users: Type.Array(Type.Object({ name: UserName, hash: Type.String({ pattern: HASHED.source }) }), {
        minItems: 1,
        maxItems: MOST_USERS,
      }),
    }),
    { maxItems: MOST_LOCKS },
  ),
  blocked: BlockedAddresses.properties.addresses,
  error_pages: ErrorPages.properties.error_pages,
});
export type KeptAccess = Static<typeof KeptAccess>;
