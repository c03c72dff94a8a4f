import type { Account } from '../../kernel/identity/accounts.ts';
import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import type { DashboardPart } from '../../kernel/plugin-api/points/dashboard-part.ts';
import { errors } from './errors.ts';
import { DomainRegistry } from './registry.ts';
import { fillDemo } from './demo.ts';
import {
  DeletedDomain,
  DockerDomains,
  DomainEntry,
  DomainList,
  DomainName,
  DomainsConfig,
  NewDomain,
} from './schema.ts';
import type { DomainsService } from './service.ts';
import { count, find, pages } from './store.ts';
import { entryOf, DomainViews } from './views.ts';

export default definePlugin({
  name: 'domains',
  features: ['domains'],
  errors,
  config: DomainsConfig,
  routes: {
    list: { method: 'GET', path: '/api/domains', summary: 'Domains of the account, by name', reply: DomainList },
    add: {
      method: 'POST',
      path: '/api/domains/new',
      summary: 'Add a domain and make its document root',
      description:
        'Names are lower-cased, of other scripts turned into punycode. A subdomain of an own domain does not count against the limit of the plan; above, at or below a domain of another account a name is in use.',
      body: NewDomain,
      reply: DomainEntry,
      status: 201,
      errors: [
        'invalid_domain',
        'invalid_docroot',
        'domain_exists',
        'domain_limit_reached',
        'webserver_failed',
        'files_unavailable',
      ],
    },
    remove: {
      method: 'POST',
      path: '/api/domains/delete',
      summary: 'Remove a domain; its files stay',
      body: DomainName,
      reply: DeletedDomain,
      errors: ['domain_not_found', 'webserver_failed'],
    },
    docker: {
      method: 'GET',
      path: '/api/docker_domains',
      summary: 'Domains of the account, those below another one apart',
      reply: DockerDomains,
    },
  },
  async setup(host) {
    const { store, node, log } = host;
    const views = new DomainViews(store, node.config.virtual_root);
    const listeners = new Set<(accountId: number) => void>();
    const changed = (accountId: number): void => {
      views.drop(accountId);
      for (const listener of listeners) listener(accountId);
    };
    const changes = new DomainRegistry(host, changed);
    const repaired = await changes.recoverInterrupted();
    if (repaired > 0) log.warn({ count: repaired }, 'domains that a killed process was adding or removing are gone');
    host.onClose(
      host.events.listen(({ type, data }) => {
        if (type === 'account.removed' && typeof data['account_id'] === 'number') changed(data['account_id']);
      }),
    );
    const viewed = <T>(account: Account, pick: (view: Awaited<ReturnType<DomainViews['of']>>) => T): T | Promise<T> => {
      const view = views.of(account);
      return view instanceof Promise ? view.then(pick) : pick(view);
    };
    const service: DomainsService = {
      list: (account) => viewed(account, ({ domains }) => domains),
      owns: async (account, name) => (await views.of(account)).names.has(name),
      find: async (name) => {
        const row = await find(store, name);
        return row && views.domain(row);
      },
      async *all() {
        for await (const page of pages(store)) for (const row of page) yield views.domain(row);
      },
      onChange: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
    return {
      service,
      handlers: {
        list: ({ account }) => viewed(account, (view) => view.list),
        docker: ({ account }) => viewed(account, (view) => view.docker),
        add: async ({ account, body, ip }) =>
          entryOf(views.domain(await changes.add(account, body.domain_url, body.docroot, ip))),
        remove: async ({ account, body, ip }) => ({
          domain_url: await changes.remove(account, body.domain_url, ip),
          deleted: true as const,
        }),
      },
      provides: {
        dashboard: (account) => (account.features.has('domains') ? viewed(account, partOf) : {}),
        counts: async () => ({ domains: await count(store) }),
        demo: (accounts) => fillDemo(accounts, (account, name, docroot) => changes.add(account, name, docroot, '')),
      },
    };
  },
});

function partOf({ domains, grouped }: Awaited<ReturnType<DomainViews['of']>>): DashboardPart {
  return {
    domains: domains.map(({ id, name, docroot }) => ({ docroot, domain_id: id, domain_url: name })),
    ...grouped,
  };
}
