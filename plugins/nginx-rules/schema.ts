import { NamedObject, Type, type Static } from '../../kernel/schema.ts';
import { MOST_CHARACTERS } from './language/rules.ts';

export const NginxRulesConfig = Type.Object(
  {
    proof_timeout_ms: Type.Integer({
      minimum: 100,
      maximum: 60_000,
      default: 5000,
      description: 'How long nginx may take to try the directives of a site',
    }),
  },
  { additionalProperties: false },
);

const rules = Type.String({
  maxLength: MOST_CHARACTERS,
  description: 'Directives in the syntax of nginx, for its `server` block',
  examples: ['rewrite ^/old/(.*)$ /new/$1 permanent;'],
});

export const SiteRulesEntry = NamedObject('NginxRules', {
  domain_url: Type.String({ description: 'Lower-case ASCII form' }),
  rules,
});
export type SiteRulesEntry = Static<typeof SiteRulesEntry>;

export const SiteRulesList = NamedObject('NginxRulesList', {
  offered: Type.Boolean({ description: 'Whether the server of the account uses nginx' }),
  forms: Type.Array(Type.String(), { description: 'An example of each directive that can be used' }),
  sites: Type.Array(SiteRulesEntry),
});

export const NewSiteRules = NamedObject('NewNginxRules', { rules });
export type NewSiteRules = Static<typeof NewSiteRules>;
