import { NamedObject, Type, type Static } from '../../kernel/schema.ts';
import { MODES, MOST_EXCLUDED, RULE_IDS } from './site-waf.ts';

export const WafConfig = Type.Object(
  {
    audit_log: Type.String({
      default: '',
      pattern: '^(/[A-Za-z0-9._/-]*)?$',
      description:
        'File that ModSecurity writes by the rules that nginx loads, which this service may read; empty = no site has a firewall',
    }),
  },
  { additionalProperties: false },
);
export type WafConfig = Static<typeof WafConfig>;

const mode = Type.String({
  enum: [...MODES],
  description: 'on = attacks are refused with 403; report = they are only listed; off = requests are not checked',
});
const ids = Type.Array(Type.Integer({ minimum: RULE_IDS.smallest, maximum: RULE_IDS.largest }), {
  maxItems: MOST_EXCLUDED,
  description: 'Numbers of rules of the Core Rule Set that are left out',
});
const tags = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  maxItems: MOST_EXCLUDED,
  description: 'Tags of rules that are left out, such as attack-sqli',
});

export const SiteFirewall = NamedObject('SiteFirewall', {
  domain_url: Type.String({ description: 'Lower-case ASCII form' }),
  mode,
  excluded_ids: ids,
  excluded_tags: tags,
});
export type SiteFirewall = Static<typeof SiteFirewall>;
export const SiteFirewalls = NamedObject('SiteFirewalls', {
  offered: Type.Boolean({ description: 'Whether the server of the account has a firewall' }),
  sites: Type.Array(SiteFirewall),
});

export const NewSiteFirewall = NamedObject('NewSiteFirewall', {
  mode: Type.Optional(mode),
  excluded_ids: Type.Optional(ids),
  excluded_tags: Type.Optional(tags),
});
export type NewSiteFirewall = Static<typeof NewSiteFirewall>;

export const WafRequestsQuery = Type.Object({
  text: Type.String({ maxLength: 200, default: '', description: 'In the address of the visitor or of the page' }),
  rule: Type.Optional(
    Type.Integer({ minimum: RULE_IDS.smallest, maximum: RULE_IDS.largest, description: 'Number of a rule' }),
  ),
  action: Type.String({
    enum: ['', 'blocked', 'reported'],
    default: '',
    description: 'blocked = refused; reported = let through; empty = both',
  }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  cursor: Type.String({ pattern: '^[0-9]{0,15}$', default: '', description: 'next_cursor of the previous page' }),
});
export type WafRequestsQuery = Static<typeof WafRequestsQuery>;

export const WafRequest = NamedObject('WafRequest', {
  at: Type.String({ format: 'date-time', description: 'RFC 3339, UTC' }),
  ip: Type.String({ description: 'Of the visitor' }),
  method: Type.String(),
  uri: Type.String({ description: 'With the query; cut off after 2048 characters' }),
  status: Type.Integer({ description: 'Of the reply' }),
  blocked: Type.Boolean({ description: 'Whether it was refused' }),
  rules: Type.Array(
    NamedObject('WafFoundRule', { id: Type.Integer(), message: Type.String(), tags: Type.Array(Type.String()) }),
    { description: 'Those that found something' },
  ),
});
export type WafRequest = Static<typeof WafRequest>;
export const WafRequests = NamedObject('WafRequests', {
  requests: Type.Array(WafRequest, { description: 'The newest first' }),
  next_cursor: Type.Union([Type.String(), Type.Null()], { description: 'Of the next page; null after the last one' }),
});
