import { COMPRESSED, compressed, EtagReply } from '../../kernel/contract/etag-reply.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { counted, type AccountsUsage } from '../../kernel/contract/points/account-report.ts';
import { NO_DOMAINS, type DomainDirectory } from '../../kernel/contract/points/domain-directory.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Store } from '../../kernel/store/store.ts';
import { fail } from './errors.ts';
import { DETECTORS } from './detection/detectors.ts';
import {
  AccountParams,
  AutoInstaller,
  DatabaseInfo,
  DatabaseInfoQuery,
  SiteList,
  WebsitesConfig,
  type Site,
} from './schema.ts';
import { Sites } from './sites.ts';
import { countSites, countSitesByAccount } from './store.ts';
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
      headers: COMPRESSED,
      reply: AutoInstaller,
      summary: 'List the supported applications and the sites of the account',
      description: 'Applications are recognized by their files, also where they were installed by hand.',
    },
    ofAccount: {
      method: 'GET',
      path: '/api/accounts/:username/sites',
      address: 'admin',
      access: 'admin',
      at: 'named',
      summary: 'List the sites of an account',
      description: 'What the account itself gets as `sites` from GET /api/auto-installer.',
      params: AccountParams,
      reply: SiteList,
      errors: ['account_not_found', 'files_unavailable'],
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
          return compressed(
            parts.then(([found, owned]) => EtagReply.json(autoInstaller(found, owned.length))),
            call,
          );
        },
        ofAccount: async ({ params }): Promise<SiteList> => ({
          sites: [...(await sites.of(await identity.accounts.get(params.username)))],
        }),
        databaseInfo: ({ account, query }) => sites.databaseInfo(account, query.domain),
      },
      provides: {
        dashboard: async (account) =>
          account.features.has('websites')
            ? { user_websites: (await sites.lately(account)).map(({ site, type }) => [site, TITLES.get(type) ?? type]) }
            : {},
        sites: (account) => (account.features.has('websites') ? sites.lately(account) : []),
        accountReport: async (account) => ({ usage: (await siteUsage(local, [account])).get(account.id) ?? [] }),
        accountsUsage: (accounts) => siteUsage(local, accounts),
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

async function siteUsage(local: Store, accounts: readonly Account[]): Promise<AccountsUsage> {
  const ids = accounts.map(({ id }) => id);
  const counts = await countSitesByAccount(local, ids);
  return new Map(
    accounts.map(({ id, plan }) => [id, [counted('websites', counts.get(id) ?? 0, plan?.limits['websites_limit'])]]),
  );
}
