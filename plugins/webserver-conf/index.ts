import { archivedSites } from '../../kernel/areas/archives/archived-list.ts';
import { DomainParams } from '../../kernel/areas/sites/domain-directory.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { NewSiteSettings, SiteSettingsEntry, SiteSettingsList } from './schema.ts';
import { SitesSettings, uploadBoundMib } from './sites-settings.ts';

export default definePlugin({
  name: 'webserver-conf',
  description: 'How sites are served: index files, caching, headers, uploads, folder listings.',
  features: ['webserver_conf'],
  uses: ['domains'],
  errors: fail,
  events,
  routes: {
    list: {
      method: 'GET',
      path: '/api/site-settings',
      at: 'home',
      summary: 'List how the sites of the account are served',
      description: 'An upload_mib above the limit of the plan counts as the limit.',
      reply: SiteSettingsList,
    },
    set: {
      method: 'PUT',
      path: '/api/site-settings/:domain',
      at: 'home',
      summary: 'Change how a site is served',
      description:
        'Members that are left out stay as they are; lists are replaced. Added headers concern the site alone, such as ' +
        'Content-Security-Policy, Access-Control-Allow-Origin and most that begin with X-. If the web server refuses the change, the ' +
        'site is served as before.',
      params: DomainParams,
      body: NewSiteSettings,
      reply: SiteSettingsEntry,
      errors: ['domain_not_found', 'invalid_site_settings', 'folder_listing_not_offered', 'webserver_failed'],
    },
  },
  // Waits for nothing: the web server asks for rules at its own start.
  setup(host) {
    const settings = new SitesSettings(host);
    return {
      handlers: {
        list: async ({ account }) => ({
          sites: await settings.list(account),
          upload_limit_mib: uploadBoundMib(account),
          offers_folder_listing: await settings.offersListing(),
        }),
        set: ({ account, params: { domain }, body, ip }) => settings.set({ account, domain, ip }, body),
      },
      provides: {
        siteRules: (domainIds) => settings.rules(domainIds),
        archive: () =>
          archivedSites<NewSiteSettings>({
            settings: NewSiteSettings,
            list: (account) => settings.list(account),
            put: (subject, given, told) => settings.restore(subject, given, told),
            what: 'the settings',
          }),
      },
    };
  },
});
