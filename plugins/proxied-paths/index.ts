import { archivedSites } from '../../kernel/areas/archives/archived-list.ts';
import { DomainParams } from '../../kernel/areas/sites/domain-directory.ts';
import { problemFinding } from '../../kernel/contract/points/finding.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { NewProxiedPaths, ProxiedSite, ProxiedSites } from './schema.ts';
import { SitesPaths } from './sites-paths.ts';

/** The feature is that of the plugin `webserver-conf`. */
const OF_SITES = { at: 'home', feature: { any: [], all: ['webserver_conf'] } } as const;

export default definePlugin({
  name: 'proxied-paths',
  description: "Paths of sites, or whole sites, that the account's containers answer for.",
  features: [],
  uses: ['domains', 'containers'],
  errors: fail,
  events,
  routes: {
    list: {
      ...OF_SITES,
      method: 'GET',
      path: '/api/proxied-paths',
      summary: 'List for which paths of the sites of the account containers answer',
      description: 'A container that is restarted is found again within seconds.',
      reply: ProxiedSites,
      errors: ['containers_unavailable'],
    },
    set: {
      ...OF_SITES,
      method: 'PUT',
      path: '/api/proxied-paths/:domain',
      summary: 'Choose for which paths of a site containers answer',
      description:
        'The list replaces the one before. Requests come with the host of the visitor, X-Forwarded-For and X-Forwarded-Proto; WebSockets ' +
        'are passed on as well. Blocked addresses, passwords and redirects of the site hold before it. If the web server refuses the ' +
        'change, the site is served as before.',
      params: DomainParams,
      body: NewProxiedPaths,
      reply: ProxiedSite,
      errors: [
        'domain_not_found',
        'container_not_found',
        'invalid_proxied_path',
        'containers_unavailable',
        'webserver_failed',
      ],
    },
  },
  async setup(host) {
    const sites = new SitesPaths(host);
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
          archivedSites<NewProxiedPaths>({
            settings: NewProxiedPaths,
            list: (account) => sites.kept(account),
            put: (subject, given, told) => sites.restore(subject, given, told),
            what: 'the paths that containers answer for',
          }),
        health: () => problemFinding('proxied paths', problem()),
      },
    };
  },
});
