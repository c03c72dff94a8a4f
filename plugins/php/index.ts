import { resolve } from 'node:path';
import { archivedSites } from '../../kernel/areas/archives/archived-list.ts';
import { followAdded, forgetRemoved } from '../../kernel/areas/sites/domain-directory.ts';
import { problemFinding } from '../../kernel/contract/points/finding.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { Unavailable } from '../../kernel/errors.ts';
import { AccountPools } from './keeping/account-pools.ts';
import { findings, unknownVersions } from './doctor.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { movePart } from './mover.ts';
import { boundsFor } from './options.ts';
import { PhpSites } from './php-sites.ts';
import { PoolList } from './keeping/pool-list.ts';
import { demoVerbs } from './demo.ts';
import privileged from './privileged.ts';
import { PoolKeeper } from './keeping/reconciling.ts';
import {
  BROKERS,
  KeptPhp,
  NewPhpIni,
  NewPhpOptions,
  NewPhpVersion,
  PhpConfig,
  PhpInfo,
  PhpIni,
  PhpSite,
  PhpSiteParams,
  PhpSites as SiteList,
} from './schema.ts';
import { installedVersions } from '../../kernel/kit/programs/php-versions.ts';

const FEATURES = ['php', 'php_options', 'php_ini'] as const;
const CHANGES = ['domain_not_found', 'php_version_not_found', 'php_failed', 'webserver_failed'] as const;

export default definePlugin({
  name: 'php',
  description: 'PHP of domains: versions, options and php.ini.',
  features: [...FEATURES],
  uses: ['domains'],
  errors: fail,
  events,
  config: PhpConfig,
  routes: {
    list: {
      method: 'GET',
      path: '/api/php',
      at: 'home',
      feature: [...FEATURES],
      summary: 'List the versions of PHP, and the domains with theirs',
      description:
        'Options of a domain without a version count once it has one. Values above the bounds of the plan are shown, and used, as these.',
      reply: SiteList,
    },
    setVersion: {
      method: 'PUT',
      path: '/api/php/sites/:domain/version',
      at: 'home',
      feature: 'php',
      summary: 'Set the version of PHP of a domain, or switch PHP off',
      description:
        'Scripts run as the account. Requests on their way are answered by the version before. If PHP does not start, or ' +
        'the web server refuses, nothing is changed.',
      params: PhpSiteParams,
      body: NewPhpVersion,
      reply: PhpSite,
      errors: CHANGES,
    },
    setOptions: {
      method: 'PUT',
      path: '/api/php/sites/:domain/options',
      at: 'home',
      feature: 'php_options',
      summary: 'Change options of PHP of a domain',
      description: 'Members that are left out stay as they are. The bounds are in GET /api/php.',
      params: PhpSiteParams,
      body: NewPhpOptions,
      reply: PhpSite,
      errors: [...CHANGES, 'invalid_php_option'],
    },
    ini: {
      method: 'GET',
      path: '/api/php/sites/:domain/ini',
      at: 'home',
      feature: 'php_ini',
      summary: 'Show the php.ini of a domain, and which directives it may set',
      description: 'Comments and the order of the lines are as they were sent.',
      params: PhpSiteParams,
      reply: PhpIni,
      errors: ['domain_not_found'],
    },
    setIni: {
      method: 'PUT',
      path: '/api/php/sites/:domain/ini',
      at: 'home',
      feature: 'php_ini',
      summary: 'Replace the php.ini of a domain',
      description:
        'Takes all lines or none: `errors` of `invalid_php_ini` says for each faulty `line` what is wrong. Scripts may still change ' +
        'such values while they run. If PHP does not start, or the web server refuses, nothing is changed.',
      params: PhpSiteParams,
      body: NewPhpIni,
      reply: PhpIni,
      errors: [...CHANGES, 'invalid_php_ini'],
    },
    info: {
      method: 'GET',
      path: '/api/php/sites/:domain/info',
      at: 'home',
      feature: [...FEATURES],
      summary: 'Show what phpinfo() says in the processes that run the scripts of a domain',
      description: 'The environment and values that may be secrets are left out, and so is what a .user.ini adds.',
      params: PhpSiteParams,
      reply: PhpInfo,
      errors: ['domain_not_found', 'php_off', 'php_failed', 'php_info_failed'],
    },
  },
  async setup(given) {
    const { node } = given;
    const otherwise = node.config.broker.socket === '' ? resolve(node.config.data, 'php') : BROKERS;
    const config = { ...given.config, run_folder: given.config.run_folder || otherwise };
    const host = { ...given, config };
    const installed = await installedVersions();
    const versions =
      config.versions.length === 0 ? installed : installed.filter((each) => config.versions.includes(each));
    if (installed.length === 0)
      throw new Unavailable('no PHP-FPM is installed', 'apt-get install php-fpm, and restart the server');
    const verbs = node.isDemo ? demoVerbs(host) : node.privileged(privileged, config);
    const pools = new AccountPools(host, verbs);
    const sites = new PhpSites(host, pools, versions);
    const keeper = new PoolKeeper(host, pools, (id) => sites.isAdding(id));
    if (node.isServing) await node.onLeader(() => keeper.start());
    forgetRemoved(host, (id, accountId) => sites.forget(id, accountId));
    followAdded(host, (id) => sites.keepNew(id), 'a new domain did not get PHP');
    const unknown = unknownVersions(config, versions);
    return {
      service: new PoolList(host, pools),
      handlers: {
        list: async ({ account }) => {
          const { workers, memoryMib, uploadMib, seconds } = boundsFor(account, config);
          const bounds = { workers, memory_mib: memoryMib, upload_mib: uploadMib, execution_seconds: seconds };
          return { versions, sites: await sites.list(account), bounds };
        },
        setVersion: ({ account, params: { domain }, body: { version }, ip }) =>
          sites.setVersion({ account, domain, ip }, version),
        setOptions: ({ account, params: { domain }, body, ip }) => sites.setOptions({ account, domain, ip }, body),
        ini: ({ account, params: { domain } }) => sites.ini(account, domain),
        setIni: ({ account, params: { domain }, body: { content }, ip }) =>
          sites.setIni({ account, domain, ip }, content),
        info: ({ account, params: { domain } }) => sites.info(account, domain),
      },
      provides: {
        domainAdding: (domain) => sites.prepareNew(domain),
        siteRules: (domainIds) => sites.rules(domainIds),
        move: () => movePart(host, verbs),
        archive: () =>
          archivedSites<KeptPhp>({
            settings: KeptPhp,
            list: (account) => sites.kept(account),
            put: (subject, kept, told) => sites.restore(subject, kept, told),
            what: 'PHP',
          }),
        purge: async ({ id }) => [{ what: 'PHP pools', removed: await verbs.end(id) }],
        doctor: () => findings(verbs, installed, node.config.ids.web_group),
        demoOutside: ({ demo }) => sites.serveAll(demo),
        health: () => [...problemFinding('pools', keeper.problem), ...unknown],
      },
    };
  },
});
