import { archivedSites } from '../../kernel/areas/archives/archived-list.ts';
import { DomainParams } from '../../kernel/areas/sites/domain-directory.ts';
import { problemFinding } from '../../kernel/contract/points/finding.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { findings } from './doctor.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { WafCollector } from './log/collector.ts';
import { movePart } from './mover.ts';
import { NewSiteFirewall, WafConfig, WafRequests, WafRequestsQuery, SiteFirewall, SiteFirewalls } from './schema.ts';
import { SitesWaf } from './sites-waf.ts';

export default definePlugin({
  name: 'waf',
  description: 'The web application firewall of sites: ModSecurity with the Core Rule Set, in nginx.',
  features: ['waf'],
  uses: ['domains', 'webserver'],
  errors: fail,
  events,
  config: WafConfig,
  routes: {
    list: {
      method: 'GET',
      path: '/api/site-firewall',
      at: 'home',
      summary: 'List how requests to the sites of the account are checked',
      description: 'Where the server of the account has no firewall, modes are kept and requests are not checked.',
      reply: SiteFirewalls,
    },
    set: {
      method: 'PUT',
      path: '/api/site-firewall/:domain',
      at: 'home',
      summary: 'Change how requests to a site are checked',
      description: 'Members that are left out stay as they are; lists are replaced. Served at once, or not changed.',
      params: DomainParams,
      body: NewSiteFirewall,
      reply: SiteFirewall,
      errors: ['domain_not_found', 'invalid_waf_rule', 'waf_not_offered', 'webserver_failed'],
    },
    requests: {
      method: 'GET',
      path: '/api/site-firewall/:domain/requests',
      at: 'home',
      summary: 'List requests to a site in which rules found something',
      description: 'The newest first; the last thousand are kept. Headers and bodies of requests are not.',
      params: DomainParams,
      query: WafRequestsQuery,
      reply: WafRequests,
      errors: ['domain_not_found'],
    },
  },
  async setup(host) {
    const { config, node } = host;
    const waf = new SitesWaf(host);
    const collector = new WafCollector(host, config.audit_log);
    let problem = (): string | undefined => undefined;
    if (config.audit_log !== '' && node.isServing) await node.onLeader(() => void (problem = collector.start()));
    return {
      handlers: {
        list: async ({ account }) => ({ offered: await waf.isOffered(), sites: await waf.list(account) }),
        set: ({ account, params: { domain }, body, ip }) => waf.set({ account, domain, ip }, body),
        requests: ({ account, params: { domain }, query }) => waf.requests(account, domain, query),
      },
      provides: {
        siteRules: (domainIds) => waf.rules(domainIds),
        move: () => movePart(host, waf),
        archive: () =>
          archivedSites<NewSiteFirewall>({
            settings: NewSiteFirewall,
            list: (account) => waf.list(account),
            put: (subject, given) => waf.set(subject, given),
            what: 'the firewall',
          }),
        doctor: async () => findings(config.audit_log, waf),
        health: () => problemFinding('firewall', problem(), 'let this service read waf.audit_log'),
      },
    };
  },
});
