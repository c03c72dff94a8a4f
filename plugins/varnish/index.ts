import { archivedSites } from '../../kernel/areas/archives/archived-list.ts';
import { DomainParams } from '../../kernel/areas/sites/domain-directory.ts';
import { problemFinding } from '../../kernel/contract/points/finding.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { CachedSite, CachedSites, NewCachedSite } from './schema.ts';
import { SitesVarnish } from './sites-varnish.ts';

/** The feature is that of the plugin `services`, which runs it. */
const OF_SITES = { at: 'home', feature: { any: [], all: ['varnish'] } } as const;

export default definePlugin({
  name: 'varnish',
  description: 'Varnish before sites: it answers for pages that it has kept.',
  features: [],
  uses: ['domains', 'services'],
  errors: fail,
  events,
  routes: {
    list: {
      ...OF_SITES,
      method: 'GET',
      path: '/api/site-cache',
      summary: 'List before which sites of the account Varnish stands',
      description: 'Sites are served without it while the account has not switched the service on, or it does not run.',
      reply: CachedSites,
    },
    set: {
      ...OF_SITES,
      method: 'PUT',
      path: '/api/site-cache/:domain',
      summary: 'Put Varnish before a site, or take it away',
      description:
        'While the account has switched the service on, visitors without cookies get pages that others have asked for before, for two ' +
        'minutes unless a page says otherwise. An application removes a page from it by the method PURGE at the socket of the service.',
      params: DomainParams,
      body: NewCachedSite,
      reply: CachedSite,
      errors: ['cache_not_offered', 'domain_not_found', 'webserver_failed'],
    },
  },
  async setup(host) {
    const sites = new SitesVarnish(host);
    let problem = (): string | undefined => undefined;
    if (host.node.isServing) await host.node.onLeader(() => void (problem = sites.start()));
    return {
      handlers: {
        list: ({ account }) => sites.list(account),
        set: ({ account, params: { domain }, body, ip }) => sites.set({ account, domain, ip }, body),
      },
      provides: {
        siteRules: (domainIds) => sites.rules(domainIds),
        move: () => ({ obstacles: () => [], leftToDo: () => [] }),
        archive: () =>
          archivedSites<NewCachedSite>({
            settings: NewCachedSite,
            list: async (account) => (await sites.list(account)).sites,
            put: (subject, given) => sites.set(subject, given),
            what: 'Varnish',
          }),
        health: () => problemFinding('varnish', problem()),
      },
    };
  },
});
