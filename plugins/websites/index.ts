import { COMPRESSED, compressed, EtagReply } from '../../kernel/areas/etag-reply.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { counted, type AccountsUsage } from '../../kernel/contract/points/account-report.ts';
import { NO_DOMAINS, type DomainDirectory } from '../../kernel/areas/sites/domain-directory.ts';
import { serveSite } from '../../kernel/areas/sites/site-changes.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Store } from '../../kernel/store/store.ts';
import { DatabaseLogins } from './database-login/logins.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { DETECTORS, hasDatabase } from './detection/detectors.ts';
import * as schema from './schema.ts';
import { Sites } from './sites.ts';
import { countSites, countSitesByAccount } from './store.ts';
import { Sweep } from './detection/sweep.ts';

const TECHNOLOGIES = DETECTORS.map(({ type, title, category, description }) => ({
  name: type,
  title,
  category,
  description,
  has_database: hasDatabase(type),
}));
const TITLES: ReadonlyMap<string, string> = new Map(DETECTORS.map(({ type, title }) => [type, title]));

const OF_LOGINS = { at: 'home', feature: { any: [], all: ['websites', 'mysql'] } } as const;
const NOT_FOUND = ['database_info_not_found', 'file_too_complex', 'invalid_config_file'] as const;
const LOGIN_ERRORS = [
  ...NOT_FOUND,
  ...(['databases_not_managed', 'login_elsewhere', 'database_not_own', 'databases_unavailable'] as const),
] as const;

export default definePlugin({
  name: 'websites',
  description: 'Applications on the domains of the account.',
  features: ['websites', 'autoinstaller'],
  errors: fail,
  events,
  uses: ['domains', 'databases', 'mysql'],
  config: schema.WebsitesConfig,
  routes: {
    autoInstaller: {
      method: 'GET',
      path: '/api/auto-installer',
      at: 'home',
      feature: 'autoinstaller',
      headers: COMPRESSED,
      reply: schema.AutoInstaller,
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
      params: schema.AccountParams,
      reply: schema.SiteList,
      errors: ['account_not_found', 'files_unavailable'],
    },
    databaseInfo: {
      method: 'GET',
      path: '/api/database_info',
      at: 'home',
      feature: 'websites',
      query: schema.DatabaseInfoQuery,
      reply: schema.DatabaseInfo,
      summary: "Read the database settings from a site's configuration file",
      description: 'The values include the password.',
      errors: NOT_FOUND,
    },
    databaseLogin: {
      method: 'GET',
      path: '/api/database_info/login',
      ...OF_LOGINS,
      query: schema.DatabaseInfoQuery,
      reply: schema.DatabaseLogin,
      summary: "Check whether the login in a site's configuration file is valid",
      description: 'Logs in to the database server as the site does, if the database user is one of the account.',
      errors: LOGIN_ERRORS,
    },
    renewLogin: {
      method: 'POST',
      path: '/api/database_info/login',
      ...OF_LOGINS,
      body: schema.LoginToRenew,
      reply: schema.DatabaseLogin,
      summary: 'Renew the login of a site to its database',
      description:
        'The database user in the configuration file gets a new password, which is written there; other applications that use it ' +
        'need it, too. If it is none of the account, it is made, or another takes its place. It has rights on the database then.',
      errors: [
        ...LOGIN_ERRORS,
        ...(['login_not_literal', 'login_not_written', 'permission_denied', 'file_changed', 'no_space'] as const),
        ...(['database_user_exists', 'database_users_limit_reached', 'request_in_progress'] as const),
      ],
    },
  },
  setup(host) {
    const { config, jobs, local, log, node, identity, peer, onClose } = host;
    const domains = peer<DomainDirectory>('domains') ?? NO_DOMAINS;
    const sites = new Sites({
      jobs,
      local,
      accounts: identity.accounts,
      domains,
      log,
      virtualRoot: node.config.virtual_root,
      checkMs: config.check_seconds * 1000,
      onFronts: (domain) => {
        const refused = (err: unknown) => log.warn({ err, domain: domain.name }, 'a site is served as before');
        void serveSite(host, domain).catch(refused); // nobody who looks at sites waits for a web server
      },
    });
    onClose(() => sites.close());
    const logins = new DatabaseLogins(host, sites);
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
        ofAccount: async ({ params }): Promise<schema.SiteList> => ({
          sites: [...(await sites.of(await identity.accounts.get(params.username)))],
        }),
        databaseInfo: async ({ account, query }) => (await sites.settings(account, query.domain)).info,
        databaseLogin: ({ account, query }) => logins.check(account, query.domain),
        renewLogin: ({ account, body, ip }) => logins.renew(account, body.domain, ip),
      },
      provides: {
        dashboard: async (account) =>
          account.features.has('websites')
            ? { user_websites: (await sites.lately(account)).map(({ site, type }) => [site, TITLES.get(type) ?? type]) }
            : {},
        frontFolders: (account) => sites.fronts(account),
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

function autoInstaller(sites: readonly schema.Site[], domainCount: number): schema.AutoInstaller {
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
