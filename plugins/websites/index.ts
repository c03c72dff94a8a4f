import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import { counted } from '../../kernel/plugin-api/points/account-report.ts';
import { errors } from './errors.ts';
import { NO_DOMAINS, type DomainDirectory } from '../../kernel/plugin-api/points/domain-directory.ts';
import { DETECTORS } from './detection/detectors.ts';
import { AutoInstaller, DatabaseInfo, DatabaseInfoQuery, WebsitesConfig, type Site } from './schema.ts';
import { Sites } from './sites.ts';
import { countSites, countSitesOf } from './store.ts';
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
  features: ['websites', 'autoinstaller'],
  errors,
  uses: ['domains'],
  config: WebsitesConfig,
  routes: {
    autoInstaller: {
      method: 'GET',
      path: '/api/auto-installer',
      feature: 'autoinstaller',
      reply: AutoInstaller,
      summary: 'List the supported applications and the sites of the account',
    },
    databaseInfo: {
      method: 'GET',
      path: '/api/database_info',
      feature: 'websites',
      query: DatabaseInfoQuery,
      reply: DatabaseInfo,
      summary: "Read the database settings from a site's configuration file",
      errors: ['database_info_not_found', 'file_too_complex', 'invalid_config_file'],
    },
  },
  setup({ config, jobs, store, log, node, identity, peer, onClose }) {
    const domains = peer<DomainDirectory>('domains') ?? NO_DOMAINS;
    const sites = new Sites({
      jobs,
      store,
      domains,
      log,
      virtualRoot: node.config.virtual_root,
      checkMs: config.check_seconds * 1000,
    });
    onClose(() => sites.close());
    const sweep = new Sweep({
      accounts: identity.accounts,
      owners: () => domains.all(),
      check: (account) => sites.of(account),
      log,
      everyMs: config.sweep_seconds * 1000,
    });
    onClose(() => sweep.close());
    onClose(
      domains.onChange((accountId) => {
        sites.forget(accountId);
        sweep.schedule(accountId);
      }),
    );
    return {
      handlers: {
        autoInstaller: async ({ account }) => {
          const [found, owned] = await Promise.all([sites.of(account), domains.list(account)]);
          return autoInstaller(found, owned.length);
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
          usage: [counted('websites', await countSitesOf(store, id), plan?.websites_limit)],
        }),
        counts: async () => ({ websites: await countSites(store) }),
        doctor: async () => [
          {
            name: 'websites',
            ok: true,
            detail: `${await countSites(store)} sites found, ${DETECTORS.length} application types supported`,
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
