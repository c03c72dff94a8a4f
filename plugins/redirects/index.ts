import { archivedList } from '../../kernel/contract/archives/archived-list.ts';
import { forgetRemoved } from '../../kernel/contract/points/domain-directory.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { Redirects, type Named } from './redirects.ts';
import { NewRedirect, RedirectEntry, RedirectList, RedirectParams, RemovedRedirect } from './schema.ts';

export default definePlugin({
  name: 'redirects',
  description: 'The redirects of domains: list, add, remove.',
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
      reply: RedirectList,
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
      body: NewRedirect,
      reply: RedirectEntry,
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
      params: RedirectParams,
      reply: RemovedRedirect,
      errors: ['redirect_not_found', 'webserver_failed'],
    },
  },
  // Waits for nothing: what serves the redirects compares them at its own start.
  setup(host) {
    const redirects = new Redirects(host);
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
      },
      provides: {
        siteRules: (domainIds) => redirects.rules(domainIds),
        archive: () =>
          archivedList<NewRedirect>({
            item: NewRedirect,
            list: async (account) => (await redirects.list(account)).map(settings),
            put: (account, redirect) => redirects.add(account, redirect, ''),
            called: ({ domain_url: domain, path }) => `the redirect from ${domain}${path}`,
          }),
      },
    };
  },
});

const entry = (redirect: Named): RedirectEntry => ({
  redirect_id: redirect.id,
  ...settings(redirect),
  created_at: new Date(redirect.createdAt).toISOString(),
});

const settings = ({ domain, from, isPrefix, to, status, keepsPath, keepsQuery }: Named): NewRedirect => ({
  domain_url: domain,
  path: from,
  match: isPrefix ? 'prefix' : 'exact',
  target: to,
  status,
  keep_path: keepsPath,
  keep_query: keepsQuery,
});
