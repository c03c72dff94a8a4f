import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

export const WebsitesConfig = Type.Object(
  {
    check_seconds: Type.Number({
      minimum: 0,
      default: 10,
      description:
        'How old the sites in memory may be before the times of their folders are checked again: in the background, ' +
        'while they are returned, unless they are four times as old',
    }),
    sweep_seconds: Type.Number({
      minimum: 60,
      default: 3600,
      description: 'How often the sites of all accounts are checked, for the totals of the server',
    }),
  },
  { additionalProperties: false },
);
export type WebsitesConfig = Static<typeof WebsitesConfig>;

export const Site = NamedObject('Site', {
  site: Type.String({ description: 'Domain and path, e.g. example.com or example.com/blog' }),
  type: Type.String({ description: 'Application type, e.g. wordpress' }),
  version: Type.String({ description: "From the application's own files; empty when they do not give it" }),
  path: Type.String({ description: 'Folder, e.g. /var/www/html/example.com/blog' }),
});
export type Site = Static<typeof Site>;

export const AutoInstaller = NamedObject('AutoInstaller', {
  technologies: Type.Array(
    NamedObject('Technology', {
      name: Type.String(),
      title: Type.String(),
      category: Type.String(),
      description: Type.String(),
      has_database: Type.Boolean({ description: 'Whether the login to its database can be checked and renewed' }),
    }),
  ),
  sites: Type.Array(Site),
  counts: Type.Record(Type.String(), Type.Integer(), { description: 'Sites by type' }),
  domain_count: Type.Integer(),
});
export type AutoInstaller = Static<typeof AutoInstaller>;

export const AccountParams = Type.Object({
  username: Type.String({ minLength: 1, maxLength: 64, examples: ['jane'] }),
});
export const SiteList = NamedObject('SiteList', { sites: Type.Array(Site) });
export type SiteList = Static<typeof SiteList>;

export const DatabaseInfoQuery = Type.Object({
  domain: Type.String({
    minLength: 1,
    maxLength: 2048,
    description:
      'A domain or site of the account, e.g. example.com or example.com/blog; for a domain without an application of ' +
      'its own, the first application below it is used',
  }),
});

export const DatabaseInfo = NamedObject(
  'DatabaseInfo',
  {
    database_name: Type.String(),
    database_user: Type.String(),
    database_password: Type.String(),
    database_host: Type.String({ description: 'With the port if the file gives one' }),
    database_table_prefix: Type.String(),
    application: Type.String({ description: 'Application type, e.g. wordpress' }),
  },
  {
    description:
      'Values written in the configuration file; empty where the site takes them from elsewhere, e.g. the environment',
  },
);
export type DatabaseInfo = Static<typeof DatabaseInfo>;

export const DatabaseLogin = NamedObject('DatabaseLogin', {
  site: Type.String({ description: 'Domain and path, e.g. example.com or example.com/blog' }),
  database_name: Type.String(),
  database_user: Type.String(),
  state: Type.String({
    enum: ['valid', 'refused', 'no_rights', 'other_user'],
    description:
      'refused: the server does not let the user in with this password; no_rights: the user has none on the database; ' +
      'other_user: it is none of the account’s database users, and its password is not tried',
  }),
});
export type DatabaseLogin = Static<typeof DatabaseLogin>;

export const LoginToRenew = NamedObject('LoginToRenew', { domain: DatabaseInfoQuery.properties.domain });
