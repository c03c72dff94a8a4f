import { EtagReply, revalidated } from '../../kernel/contract/etag-reply.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { counted } from '../../kernel/contract/points/account-report.ts';
import { fail } from './errors.ts';
import { NO_DOMAINS, type DomainDirectory } from '../../kernel/contract/points/domain-directory.ts';
import { DETECTORS } from './detection/detectors.ts';
import { AutoInstaller, DatabaseInfo, DatabaseInfoQuery, WebsitesConfig, type Site } from './schema.ts';
import { Sites } from './sites.ts';
import { countSites, countAccountSites, countSitesByAccount } from './store.ts';
import { Sweep } from './detection/sweep.ts';

const TECHNOLOGIES = DETECTORS.map(({ type, title, category, description }) => ({
  name: type,
  title,
  category,
  description,
}));
const TITLES: ReadonlyMap<string, string> = new Map(DETECTORS.map(({ type, title }) => [type, title]));

export default definePlugin({
  name: 'websites',
  description: 'Applications on the domains of the account.',
  features: ['websites', 'autoinstaller'],
  errors: fail,
  uses: ['domains'],
  config: WebsitesConfig,
  routes: {
    autoInstaller: {
      method: 'GET',
      path: '/api/auto-installer',
      at: 'home',
      feature: 'autoinstaller',
      headers: ['if-none-match'],
      reply: AutoInstaller,
      summary: 'List the supported applications and the sites of the account',
      description: 'Applications are recognized by their files, also where they were installed by hand.',
    },
    databaseInfo: {
      method: 'GET',
      path: '/api/database_info',
      at: 'home',
      feature: 'websites',
      query: DatabaseInfoQuery,
      reply: DatabaseInfo,
      summary: "Read the database settings from a site's configuration file",
      description: 'The values include the password.',
      errors: ['database_info_not_found', 'file_too_complex', 'invalid_config_file'],
    },
  },
  setup({ config, jobs, local, log, node, identity, peer, onClose }) {
    const domains = peer<DomainDirectory>('domains') ?? NO_DOMAINS;
    const sites = new Sites({
      jobs,
      local,
      accounts: identity.accounts,
      domains,
      log,
      virtualRoot: node.config.virtual_root,
      checkMs: config.check_seconds * 1000,
    });
    onClose(() => sites.close());
    let sweep: Sweep | undefined;
    void node.onLeader(() => {
      const started = new Sweep({
        accounts: identity.accounts,
        owners: () => domains.all(),
        check: (account) => sites.of(account),
        log,
        everyMs: config.sweep_seconds * 1000,
      });
      sweep = started;
      onClose(() => started.close());
    });
    onClose(
      domains.onChange((accountId) => {
        sites.forget(accountId);
        sweep?.schedule(accountId);
      }),
    );
    return {
      handlers: {
        autoInstaller: (call) => {
          const parts = Promise.all([sites.of(call.account), domains.list(call.account)]);
          return revalidated(
            parts.then(([found, owned]) => EtagReply.json(autoInstaller(found, owned.length))),
            call,
          );
        },
        databaseInfo: ({ account, query }) => sites.databaseInfo(account, query.domain),
      },
      provides: {
        dashboard: async (account) =>
          account.features.has('websites')
            ? { user_websites: (await sites.of(account)).map(({ site, type }) => [site, TITLES.get(type) ?? type]) }
            : {},
        sites: (account) => (account.features.has('websites') ? sites.of(account) : []),
        accountReport: async ({ id, plan }) => ({
          usage: [counted('websites', await countAccountSites(local, id), plan?.websites_limit)],
        }),
        accountsUsage: async (accounts) => [
          {
            resource: 'websites',
            used: await countSitesByAccount(
              local,
              accounts.map(({ id }) => id),
            ),
          },
        ],
        counts: async () => ({ websites: await countSites(local) }),
        doctor: async () => [
          {
            name: 'websites',
            ok: true,
            detail: `${await countSites(local)} sites found, ${DETECTORS.length} application types supported`,
          },
        ],
      },
    };
  },
});

function autoInstaller(sites: readonly Site[], domainCount: number): AutoInstaller {
  const counts: Record<string, number> = {};
  for (const { type } of sites) counts[type] = (counts[type] ?? 0) + 1;
  return { technologies: TECHNOLOGIES, sites: [...sites], counts, domain_count: domainCount };
}
