import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const Topic = NamedObject('GuideTopic', {
  link: Type.String({ description: 'URL of the guide' }),
  title: Type.String({ description: 'Title of the guide' }),
});

export const DashboardConfig = Type.Object(
  {
    title: Type.String({ default: 'Hostkeep', description: 'Name of the panel' }),
    custom_message: Type.Union([Type.String(), Type.Null()], {
      default: null,
      description: 'Message shown to every account; null = none',
    }),
    how_to_guides: Type.Boolean({ default: true, description: 'Whether to offer guides' }),
    how_to_topics: Type.Array(Topic, { default: [], description: 'The guides that are offered' }),
    knowledge_base_link: Type.String({ default: '', description: 'URL of all guides; empty = none' }),
  },
  { additionalProperties: false },
);
export type DashboardConfig = Static<typeof DashboardConfig>;

/** A limit is an integer, so that 0 has two meanings; the feature tells them apart. */
const Limit = (feature: string) =>
  Type.Integer({ description: `0 = unlimited if user_features names ${feature}, otherwise not included` });
const NameServer = Type.String({ description: 'Empty when unset' });
const Domain = { domain_url: Type.String(), tld: Type.String({ description: 'Public suffix, e.g. co.uk' }) };

export const Dashboard = NamedObject('Dashboard', {
  cpu_limit: Type.Integer({ description: 'Percent of one CPU, 100 for each; 0 = unlimited' }),
  custom_message: Type.Union([Type.String(), Type.Null()]),
  db_limit: Limit('mysql or postgresql'),
  db_usage: Type.Integer({ description: 'Databases of all kinds' }),
  domains: Type.Array(
    NamedObject('DomainSummary', { docroot: Type.String(), domain_id: Type.Integer(), domain_url: Type.String() }),
  ),
  domains_limit: Limit('domains'),
  email_count: Type.Integer(),
  email_limit: Limit('emails'),
  ftp_count: Type.Integer(),
  ftp_limit: Limit('ftp'),
  how_to_guides: Type.Union([Type.Literal('yes'), Type.Literal('no')]),
  how_to_topics: Type.Array(Topic),
  ip_address: Type.String({ description: 'Address of the node' }),
  knowledge_base_link: Type.String({ description: 'URL; empty when not set' }),
  last_ip: Type.String({ description: 'Address of the previous login; empty on the first one' }),
  locale: Type.String(),
  maindomains: Type.Array(NamedObject('MainDomain', Domain)),
  ns1: NameServer,
  ns2: NameServer,
  ns3: NameServer,
  ns4: NameServer,
  stale: Type.Array(Type.String(), {
    description:
      'Plugins that gave no answer now: what they supply is as it was known last, or empty if it never was since the start',
  }),
  subdomains: Type.Array(
    NamedObject('Subdomain', {
      ...Domain,
      main_domain: Type.String({ description: 'The main domain of the account to which it belongs' }),
    }),
  ),
  title: Type.String(),
  twofa_enabled: Type.Union([Type.Literal(true), Type.Null()], { description: 'null when off' }),
  twofa_nag: Type.Union([Type.Literal('True'), Type.Literal('False')], {
    description: 'Whether to remind the user of two-factor authentication',
  }),
  user_features: Type.Array(Type.String(), {
    description: 'Names of the features that the account can use now, sorted',
  }),
  user_websites: Type.Array(Type.Tuple([Type.String(), Type.String()]), {
    description: '[site path, application], e.g. ["example.com/shop", "WordPress"]; plain files are "Static"',
  }),
  websites_limit: Limit('websites'),
});
export type Dashboard = Static<typeof Dashboard>;
