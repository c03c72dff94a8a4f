import { archivedList, archivedMembers, archivedSites } from '../../kernel/areas/archives/archived-list.ts';
import { DomainParams, forgetRemoved } from '../../kernel/areas/sites/domain-directory.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { MainAddresses } from './main-addresses.ts';
import { Redirects, type Named } from './redirects.ts';
import * as schema from './schema.ts';
import type { SiteRedirects } from './site-directives.ts';

export default definePlugin({
  name: 'redirects',
  description: 'Redirects of paths, and of all names of a site to its main address.',
  features: ['redirects'],
  uses: ['domains'],
  errors: fail,
  events,
  routes: {
    list: {
      method: 'GET',
      path: '/api/redirects',
      summary: 'List the redirects of the account by domain and path',
      description: 'Of several that match an address, the one with the longest path counts.',
      reply: schema.RedirectList,
    },
    add: {
      method: 'POST',
      path: '/api/redirects',
      at: 'home',
      summary: 'Redirect a path of a domain, or everything below it',
      description:
        'Served at once; if the web server refuses it, nothing is changed. Paths are compared as browsers send them. A redirect ' +
        'of everything below / leaves out the paths at which authorities prove a domain for its certificate.',
      idempotencyKey: 'kept',
      body: schema.NewRedirect,
      reply: schema.RedirectEntry,
      status: 201,
      errors: [
        'domain_not_found',
        'invalid_redirect',
        'redirect_exists',
        'redirects_limit_reached',
        'webserver_failed',
      ],
    },
    remove: {
      method: 'DELETE',
      path: '/api/redirects/:id',
      at: 'home',
      summary: 'Remove a redirect',
      description: 'Browsers may remember a permanent one for longer.',
      params: schema.RedirectParams,
      reply: schema.RemovedRedirect,
      errors: ['redirect_not_found', 'webserver_failed'],
    },
    listMainAddresses: {
      method: 'GET',
      path: '/api/main-addresses',
      summary: 'List the names at which the sites of the account answer',
      description: 'And to which of them the others lead, if to any.',
      reply: schema.MainAddressList,
    },
    setMainAddress: {
      method: 'PUT',
      path: '/api/main-addresses/:domain',
      at: 'home',
      summary: 'Lead visitors to one name of a site, such as that with www',
      description:
        'With status 308, to the same page. Links of a previewed site are left out, as are the paths at which authorities prove a ' +
        'domain for its certificate.',
      params: DomainParams,
      body: schema.NewMainAddress,
      reply: schema.MainAddress,
      errors: ['domain_not_found', 'invalid_main_address', 'webserver_failed'],
    },
  },
  // Waits for nothing: what serves the redirects compares them at its own start.
  setup(host) {
    const redirects = new Redirects(host);
    const addresses = new MainAddresses(host);
    forgetRemoved(host, (id) => redirects.forget(id));
    return {
      handlers: {
        list: async ({ account }) => ({
          redirects: (await redirects.list(account)).map(entry),
          redirects_limit: account.plan?.limits['redirects_limit'] ?? 0,
        }),
        add: async ({ account, body, ip }) => entry(await redirects.add(account, body, ip)),
        remove: async ({ account, params, ip }) => {
          await redirects.remove(account, Number(params.id), ip);
          return { redirect_id: Number(params.id), deleted: true as const };
        },
        listMainAddresses: async ({ account }) => ({ sites: await addresses.list(account) }),
        setMainAddress: ({ account, params, body, ip }) => addresses.set({ account, domain: params.domain, ip }, body),
      },
      provides: {
        siteRules: async (domainIds) => {
          const [paths, mains] = await Promise.all([redirects.rules(domainIds), addresses.rules(domainIds)]);
          const part = (id: number): SiteRedirects => ({ redirects: paths.get(id) ?? [], main: mains.get(id) ?? null });
          return new Map(
            [...new Set([...paths.keys(), ...mains.keys()])].map((id) => [id, { parts: { redirects: part(id) } }]),
          );
        },
        archive: () =>
          archivedMembers({
            redirects: archivedList<schema.NewRedirect>({
              item: schema.NewRedirect,
              list: async (account) => (await redirects.list(account)).map(settings),
              put: (account, redirect, { isLive }) => redirects.add(account, redirect, '', isLive),
              called: ({ domain_url: domain, path }) => `the redirect from ${domain}${path}`,
            }),
            main_addresses: archivedSites<schema.NewMainAddress>({
              settings: schema.NewMainAddress,
              list: async (account) =>
                (await addresses.list(account)).map(({ domain_url, main_address }) => ({ domain_url, main_address })),
              put: (subject, given) => addresses.set(subject, given),
              what: 'the main address',
            }),
          }),
      },
    };
  },
});

const entry = (redirect: Named): schema.RedirectEntry => ({
  redirect_id: redirect.id,
  ...settings(redirect),
  created_at: new Date(redirect.createdAt).toISOString(),
});

const settings = ({ domain, from, isPrefix, to, status, keepsPath, keepsQuery }: Named): schema.NewRedirect => ({
  domain_url: domain,
  path: from,
  match: isPrefix ? 'prefix' : 'exact',
  target: to,
  status,
  keep_path: keepsPath,
  keep_query: keepsQuery,
});
