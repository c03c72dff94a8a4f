import { compressed } from '../../kernel/areas/etag-reply.ts';
import { WORKER_EXITED } from '../../kernel/contract/workers.ts';
import type { Call } from '../../kernel/contract/route-spec.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { counted, type AccountsUsage } from '../../kernel/contract/points/account-report.ts';
import type { DashboardPart } from '../../kernel/contract/points/dashboard-part.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Store } from '../../kernel/store/store.ts';
import { archivedDomains } from './archived.ts';
import { siteFindings } from './doctor.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { searchDomains } from './domain-search.ts';
import { DomainChanges } from './changes/domain-changes.ts';
import { NewNames } from './names/new-names.ts';
import { DomainRegistry } from './changes/registry.ts';
import type { Subject } from './changes/subject.ts';
import { domainRoutes } from './routes.ts';
import { DomainsConfig, ListQuery } from './schema.ts';
import { count, countDomains, listDomains, type ListedRow } from './store.ts';
import { DomainViews, domainEntry, domainPage, type DomainView } from './views.ts';

const CHANGES: ReadonlySet<string> = new Set(Object.keys(events));
/** How many names the operator is told after a move. */
const NAMED = 20;

/** A call whose path names what it is about. */
type Naming<K extends string> = Pick<Call, 'account' | 'ip'> & { readonly params: Readonly<Record<K, string>> };

export default definePlugin({
  name: 'domains',
  description: 'The domains of the account: list, add, change, suspend, remove.',
  features: ['domains', 'capitalize_domains'],
  errors: fail,
  events,
  config: DomainsConfig,
  routes: domainRoutes,
  async setup(host) {
    const { store, node, log, events, identity, workers, onClose } = host;
    const views = new DomainViews(store, identity.accounts, node.config.virtual_root);
    const names = new NewNames(host, views.reserved);
    const registry = new DomainRegistry(host, (accountId) => views.invalidate(accountId), names);
    const changes = new DomainChanges(host, views, names);
    const recover = async () => {
      const recovered = await registry.recoverInterrupted();
      if (recovered > 0) log.warn({ count: recovered }, 'removed domains whose adding or removing was interrupted');
    };
    await node.onLeader(async () => {
      await recover();
      const failed = (error: unknown) =>
        log.error({ err: error }, 'interrupted changes of domains could not be undone');
      onClose(workers.subscribe(WORKER_EXITED, () => void recover().catch(failed)));
    });
    onClose(
      events.listen(({ type, account_id: id, data }, isOwn) => {
        if (!isOwn && id !== null && CHANGES.has(type)) views.invalidate(id);
        if (type === 'account.removed' && typeof data['account_id'] === 'number') views.invalidate(data['account_id']);
      }),
    );
    const listed = (account: Account, { limit, cursor }: ListQuery) =>
      views.read(account, (view) =>
        limit === undefined && cursor === '' ? view.list : domainPage(view, limit, cursor),
      );
    const entry = (row: ListedRow) => domainEntry(views.domain(row));
    const own = ({ account, ip }: Pick<Call, 'account' | 'ip'>, domain: string): Subject => ({ account, domain, ip });
    const changed = async (call: Naming<'domain'>, change: (of: Subject) => Promise<ListedRow>) =>
      entry(await change(own(call, call.params.domain)));
    const removed = async (of: Subject, withSubdomains: boolean) =>
      ({ domain_url: await registry.remove(of, withSubdomains), deleted: true }) as const;
    /** Of an account that an administrator names. */
    const named = async ({ account: { username: by }, params: { username }, ip }: Naming<'username'>, domain: string) =>
      ({ account: await identity.accounts.get(username), domain, ip, by }) satisfies Subject;
    return {
      service: Object.assign(views, { registry }),
      handlers: {
        list: (call) => compressed(listed(call.account, call.query), call),
        search: ({ query }) => searchDomains(host, views, query),
        ofAccount: async (call) => {
          const named = await identity.accounts.get(call.params.username);
          const account = (await identity.accounts.byId(named.id)) ?? named; // the snapshot by which the views are kept
          return compressed(listed(account, call.query), call);
        },
        docker: (call) =>
          compressed(
            views.read(call.account, ({ docker }) => docker),
            call,
          ),
        add: async (call) => entry(await registry.add(own(call, call.body.domain_url), call.body.docroot)),
        remove: (call) => removed(own(call, call.body.domain_url), call.body.with_subdomains),
        suspend: (call) => changed(call, (of) => changes.setSuspended(of, call.body.suspended)),
        setDocroot: (call) => changed(call, (of) => changes.setDocroot(of, call.body.docroot)),
        addTo: async (call) => entry(await registry.add(await named(call, call.body.domain_url), call.body.docroot)),
        removeFrom: async (call) => removed(await named(call, call.params.domain), call.query.with_subdomains),
        hold: async (call) => entry(await changes.setHeld(await named(call, call.params.domain), call.body.suspended)),
        addAlias: async (call) => entry(await changes.addAlias(own(call, call.body.domain_url), call.body.alias)),
        removeAlias: async ({ account, params, ip }) => entry(await changes.removeAlias(account, params.alias, ip)),
        setSpelling: (call) => changed(call, (of) => changes.setSpelling(of, call.body.shown_as)),
      },
      provides: {
        siteRules: (domainIds) => changes.rules(domainIds),
        dashboard: (account) => (account.features.has('domains') ? views.read(account, dashboardPart) : {}),
        counts: async () => ({ domains: await (node.fleet === undefined ? count(store) : views.count()) }),
        accountsUsage: (accounts) => domainUsage(store, accounts),
        accountReport: async (account) => {
          const [usage, rows] = await Promise.all([domainUsage(store, [account]), listDomains(store, account.id)]);
          return { domains: rows.map(({ name }) => name), usage: usage.get(account.id) ?? [] };
        },
        move: () => ({
          obstacles: () => [],
          leftToDo: async ({ id }, at) => {
            const names = (await listDomains(store, id)).flatMap(({ name, aliases }) => [name, ...aliases]);
            return names.length === 0 ? [] : [`point to ${at}: ${textOf(names)}`];
          },
        }),
        doctor: () => siteFindings(host, views),
        archive: () => archivedDomains({ ...host, views, registry, changes }),
        demo: async (accounts) =>
          (await import('./demo.ts')).fillDemo(accounts, (account, domain, docroot) =>
            registry.add({ account, domain, ip: '' }, docroot),
          ),
      },
    };
  },
});

/** Returns the first names, and how many more there are. */
function textOf(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${names.slice(0, NAMED).join(', ')}${more}`;
}

function dashboardPart({ domains, grouped }: Pick<DomainView, 'domains' | 'grouped'>): DashboardPart {
  return {
    domains: domains.map(({ id, name, docroot }) => ({ docroot, domain_id: id, domain_url: name })),
    ...grouped,
  };
}

async function domainUsage(store: Store, accounts: readonly Account[]): Promise<AccountsUsage> {
  const ids = accounts.map(({ id }) => id);
  const counts = await countDomains(store, ids);
  return new Map(
    accounts.map(({ id, plan }) => {
      const { names = 0, mains = 0 } = counts.get(id) ?? {};
      const { domains_limit: domainsLimit, names_limit: namesLimit } = plan?.limits ?? {};
      return [id, [counted('domains', mains, domainsLimit), counted('names', names, namesLimit)]];
    }),
  );
}
