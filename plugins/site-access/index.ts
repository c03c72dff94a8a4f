import { archivedSites } from '../../kernel/areas/archives/archived-list.ts';
import { DomainParams } from '../../kernel/areas/sites/domain-directory.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import * as schema from './schema.ts';
import { SitesAccess } from './site-access.ts';

const OF_DOMAIN = { at: 'home', params: DomainParams, reply: schema.SiteAccessEntry } as const;

export default definePlugin({
  name: 'site-access',
  description: 'Who may see a site: folders with passwords, blocked addresses; and pages for errors.',
  features: ['site_access'],
  uses: ['domains'],
  errors: fail,
  events,
  routes: {
    list: {
      method: 'GET',
      path: '/api/site-access',
      at: 'home',
      summary: 'List who may see the sites of the account, and their error pages',
      description: 'Passwords are never shown.',
      reply: schema.SiteAccessList,
    },
    setUser: {
      ...OF_DOMAIN,
      method: 'PUT',
      path: '/api/site-access/:domain/users',
      summary: 'Protect a folder of a site with a name and a password',
      description:
        'Adds a user to a folder, or gives one another password. Browsers ask for both, and send them with each request: readably ' +
        'unless HTTPS is forced. Of folders within each other the longest path counts with nginx, and each with Caddy.',
      idempotencyKey: 'refused',
      body: schema.FolderUser,
      errors: ['domain_not_found', 'invalid_folder', 'access_limit_reached', 'webserver_failed'],
    },
    removeUser: {
      ...OF_DOMAIN,
      method: 'DELETE',
      path: '/api/site-access/:domain/users',
      summary: 'Remove a user of a protected folder',
      description: 'With the last one the protection ends, and everybody sees the folder.',
      query: schema.FolderUserQuery,
      errors: ['domain_not_found', 'invalid_folder', 'folder_user_not_found', 'webserver_failed'],
    },
    setBlocked: {
      ...OF_DOMAIN,
      method: 'PUT',
      path: '/api/site-access/:domain/blocked',
      summary: 'Block addresses from a site',
      description: 'Replaces the list. Their visitors get 403, except where a redirect leads them away.',
      body: schema.BlockedAddresses,
      errors: ['domain_not_found', 'invalid_address_range', 'webserver_failed'],
    },
    setErrorPages: {
      ...OF_DOMAIN,
      method: 'PUT',
      path: '/api/site-access/:domain/error-pages',
      summary: 'Show pages of the site in place of the errors of the web server',
      description: 'Replaces the list. What an application answers stays as it is; the files may be made later.',
      body: schema.ErrorPages,
      errors: ['domain_not_found', 'invalid_error_page', 'webserver_failed'],
    },
  },
  // Waits for nothing: the web server asks for rules at its own start.
  setup(host) {
    const access = new SitesAccess(host);
    return {
      handlers: {
        list: async ({ account }) => ({ sites: await access.list(account) }),
        setUser: ({ account, params: { domain }, body, ip }) => access.setUser({ account, domain, ip }, body),
        removeUser: ({ account, params: { domain }, query: { path, name }, ip }) =>
          access.removeUser({ account, domain, ip }, path, name),
        setBlocked: ({ account, params: { domain }, body, ip }) =>
          access.setBlocked({ account, domain, ip }, body.addresses),
        setErrorPages: ({ account, params: { domain }, body, ip }) =>
          access.setErrorPages({ account, domain, ip }, body.error_pages),
      },
      provides: {
        siteRules: (domainIds) => access.rules(domainIds),
        archive: () =>
          archivedSites<schema.KeptAccess>({
            settings: schema.KeptAccess,
            list: (account) => access.kept(account),
            put: (subject, kept, { isLive }) => access.restore(subject, kept, isLive),
            what: 'the access',
          }),
      },
    };
  },
});
