import { archivedSites } from '../../kernel/areas/archives/archived-list.ts';
import { DomainParams } from '../../kernel/areas/sites/domain-directory.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { ruleForms } from './language/rules.ts';
import { NewSiteRules, NginxRulesConfig, SiteRulesEntry, SiteRulesList } from './schema.ts';
import { SitesRules } from './sites-rules.ts';

export default definePlugin({
  name: 'nginx-rules',
  description: 'Rewrites, locations and conditions of sites, written by their owners for nginx.',
  features: ['nginx_rules'],
  uses: ['domains'],
  errors: fail,
  events,
  config: NginxRulesConfig,
  routes: {
    list: {
      method: 'GET',
      path: '/api/nginx-rules',
      at: 'home',
      summary: 'List the nginx directives of the sites of the account',
      description: 'Where the server of the account uses another web server, directives are kept and do nothing.',
      reply: SiteRulesList,
    },
    set: {
      method: 'PUT',
      path: '/api/nginx-rules/:domain',
      at: 'home',
      summary: 'Replace the nginx directives of a site',
      description:
        'Takes all of them or none: `errors` of `invalid_nginx_rules` says for each faulty `line` what is wrong. Directives and ' +
        'variables are those of `forms` and few others; patterns repeat no groups. nginx tries the directives before the site is changed.',
      params: DomainParams,
      body: NewSiteRules,
      reply: SiteRulesEntry,
      errors: ['domain_not_found', 'invalid_nginx_rules', 'nginx_rules_not_offered', 'webserver_failed'],
    },
  },
  // Waits for nothing: the web server asks for rules at its own start.
  setup(host) {
    const sites = new SitesRules(host, host.config.proof_timeout_ms);
    return {
      handlers: {
        list: async ({ account }) => ({
          offered: await sites.isOffered(),
          forms: ruleForms(),
          sites: await sites.list(account),
        }),
        set: ({ account, params: { domain }, body, ip }) => sites.set({ account, domain, ip }, body.rules),
      },
      provides: {
        siteRules: (domainIds) => sites.rules(domainIds),
        archive: () =>
          archivedSites<NewSiteRules>({
            settings: NewSiteRules,
            list: (account) => sites.list(account),
            put: (subject, { rules }) => sites.set(subject, rules),
            what: 'the nginx directives',
          }),
      },
    };
  },
});
