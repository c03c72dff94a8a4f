import { LOGIN, type Given, type Row, type Step } from './row.ts';
import { mib, number, one } from './shapes.ts';

/** A path that is the same here as there, or differs in its name only. */
const same = (is: string, calls = is): Row => ({ is, steps: [{ calls }], ...(is === calls && { isTaken: true }) });
/** The same with a query. */
const asked = (is: string, query: readonly string[], calls = is): Row => ({
  ...same(is, calls),
  query,
  steps: [{ calls, query: (given) => Object.fromEntries(query.map((name) => [name, given[name]])) }],
});
const PHP = { calls: 'GET /api/php' };
type PhpSite = Readonly<Record<'domain_url' | 'version', string>>;
const DOMAINS = { calls: 'GET /api/domains' };
const ofDomain = ({ domain = '' }: Given) => ({ domain });
/** The rows that suspend a domain, or lift that. */
const suspends = (verb: string, suspended: boolean): Row => ({
  is: `POST /api/domains/:domain/${verb}`,
  steps: [{ calls: 'PUT /api/domains/:domain/suspended', params: ofDomain, body: () => ({ suspended }) }],
});
type Domain = Readonly<Record<'domain_url' | 'docroot' | 'shown_as', string>>;
const named = (domains: readonly Domain[], domain: string | undefined) =>
  one(domains, ({ domain_url: name }) => name === domain, 'domain_not_found', 'domain');
const CONTAINERS = { calls: 'GET /api/container/df' };
type Container = Readonly<Record<'Names' | 'State' | 'Status', string>>;
const statusOf = ({ Names: name, State: state, Status: status }: Container) => ({ name, state, status });
type Listed = Readonly<Record<'id' | 'name' | 'service', string>>;
/** The rows that do something with a container, which OpenPanel calls by its service. */
const withContainer = (is: string, calls: string, more: Partial<Row & Step> = {}): Row => {
  const { body, ...row } = more;
  const params: Step['params'] = ({ service }, [{ containers }]) => ({
    id: one<Listed>(containers, (each) => [each.name, each.service].includes(service ?? ''), 'not_found', 'container')
      .id,
  });
  const step = { calls: `${calls.replace(' ', ' /api/docker-containers/:id')}`, params, ...(body && { body }) };
  return { is, ...row, steps: [{ calls: 'GET /api/docker-containers' }, step] };
};
const resources: Step['body'] = ({ cpu, ram }) => ({
  processors: cpu === undefined ? undefined : number(cpu),
  memory_mib: ram === undefined ? undefined : mib(ram),
});
const SITES = { calls: 'GET /api/auto-installer' };
const GRANT = '/api/database-users/:user/databases/:database';
const grantOn = ({ username: user = '', database = '' }: Given) => ({ user, database });
const maintains = (action: string): Row => ({
  is: `POST /api/mysql/databases/:db_name/${action}`,
  steps: [
    {
      calls: 'POST /api/databases/:database/maintenance',
      params: ({ db_name: database = '' }) => ({ database }),
      body: () => ({ action }),
    },
  ],
});
const SCREENSHOT = 'GET /api/screenshot/*path';

/** Rows of OpenPanel's end-user address that plugins here provide. */
export const userRows: readonly Row[] = [
  {
    is: 'POST /api/login',
    isTaken: true,
    access: 'guest',
    takes: ['username!', 'password!', 'twofa_code'],
    steps: [LOGIN],
  },

  same('GET /api/domains'),
  {
    is: 'POST /api/domains',
    takes: ['domain!', 'docroot'],
    status: 201,
    steps: [{ calls: 'POST /api/domains/new', body: ({ domain, docroot }) => ({ domain_url: domain, docroot }) }],
  },
  {
    is: 'DELETE /api/domains/:domain',
    steps: [{ calls: 'POST /api/domains/delete', body: ({ domain }) => ({ domain_url: domain }) }],
  },
  {
    is: 'GET /api/domains/:domain/logs',
    steps: [{ calls: 'GET /api/logs/lines', query: ({ domain }) => ({ domain_url: domain, limit: '1000' }) }],
    reply: ([{ lines }], { domain }) => ({
      domain,
      logs: lines.map(({ text }: { readonly text: string }) => text).toReversed(),
    }),
  },
  {
    is: 'GET /api/stats/:domain',
    steps: [{ calls: 'GET /api/logs/visitors', query: ({ domain }) => ({ domain_url: domain, days: '30' }) }],
  },
  {
    is: 'GET /api/domains/:domain/docroot',
    steps: [DOMAINS],
    reply: ([{ domains }], { domain }) => ({ domain, docroot: named(domains, domain).docroot }),
  },
  {
    is: 'PUT /api/domains/:domain/docroot',
    isTaken: true,
    takes: ['docroot!'],
    steps: [{ calls: 'PUT /api/domains/:domain/docroot', params: ofDomain, body: ({ docroot }) => ({ docroot }) }],
  },
  suspends('suspend', true),
  suspends('unsuspend', false),
  {
    is: 'GET /api/domains/:domain/capitalize',
    steps: [DOMAINS],
    reply: ([{ domains }], { domain }) => ({ domain, capitalized_domain: named(domains, domain).shown_as }),
  },
  {
    is: 'PUT /api/domains/:domain/capitalize',
    takes: ['capitalized_domain!'],
    steps: [
      {
        calls: 'PUT /api/domains/:domain/shown-as',
        params: ofDomain,
        body: ({ capitalized_domain: shown_as }) => ({ shown_as }),
      },
    ],
    reply: ([{ domain_url: domain, shown_as: capitalized_domain }]) => ({ domain, capitalized_domain }),
  },

  { is: 'GET /api/php/versions', steps: [PHP], reply: ([{ versions }]) => ({ versions }) },
  {
    is: 'GET /api/php/domains',
    steps: [PHP],
    reply: ([{ sites }]) => ({
      domains: (sites as PhpSite[]).map(({ domain_url: domain, version }) => ({ domain, version })),
    }),
  },
  {
    is: 'PUT /api/php/domains',
    takes: ['domain!', 'version!'],
    steps: [
      {
        calls: 'PUT /api/php/sites/:domain/version',
        params: ofDomain,
        body: ({ version }) => ({ version }),
      },
    ],
  },

  {
    is: 'GET /api/account',
    steps: [{ calls: 'GET /api/system/hosting/plan' }],
    reply: ([{ context, plan_name }]) => ({ username: context, plan_name }),
  },
  asked('GET /api/account/sessions', ['limit', 'cursor']),
  {
    is: 'DELETE /api/account/sessions/:token',
    isTaken: true,
    steps: [{ calls: 'DELETE /api/account/sessions/:id', params: ({ token }) => ({ id: token }) }],
  },
  same('GET /api/account/2fa'),
  {
    is: 'POST /api/account/2fa/setup',
    isTaken: true,
    takes: ['password!'],
    steps: [{ calls: 'POST /api/account/2fa/setup', body: ({ password }) => ({ password }) }],
  },
  {
    is: 'POST /api/account/2fa/confirm',
    isTaken: true,
    takes: ['otp_code!'],
    steps: [{ calls: 'POST /api/account/2fa/confirm', body: ({ otp_code: code }) => ({ code }) }],
  },
  {
    is: 'DELETE /api/account/2fa',
    isTaken: true,
    takes: ['password!', 'otp_code!'],
    steps: [{ calls: 'DELETE /api/account/2fa', body: ({ password, otp_code: code }) => ({ password, code }) }],
  },
  same('GET /api/account/favorites', 'GET /api/favorites'),
  {
    is: 'POST /api/account/favorites',
    takes: ['link!', 'title!'],
    steps: [{ calls: 'PUT /api/favorites', body: ({ link, title }) => ({ link, title }) }],
  },
  {
    is: 'DELETE /api/account/favorites',
    takes: ['link!'],
    steps: [{ calls: 'DELETE /api/favorites', body: ({ link }) => ({ link }) }],
  },
  same('GET /api/account/language'),
  {
    is: 'PUT /api/account/language',
    isTaken: true,
    takes: ['locale!'],
    steps: [{ calls: 'PUT /api/account/language', body: ({ locale }) => ({ locale }) }],
  },
  same('GET /api/account/login-history'),
  asked('GET /api/account/activity', ['page', 'search', 'show_all']),

  same('GET /api/usage', 'GET /api/docker_stats'),
  same('GET /api/hosting/info', 'GET /api/system/hosting/info'),
  same('GET /api/hosting/plan', 'GET /api/system/hosting/plan'),
  same('GET /api/hosting/ports', 'GET /api/system/hosting/ports'),
  same('GET /api/server/info', 'GET /api/system/hosting/info'),
  same('GET /api/dashboard/resource-usage', 'GET /api/docker_stats'),
  same('GET /api/dashboard/disk-inodes', 'GET /api/disk_inodes'),

  same('GET /api/disk-usage', 'GET /api/directory-size'),
  {
    is: 'GET /api/disk-usage/*path',
    steps: [{ calls: 'GET /api/directory-size', query: ({ path: folder }) => ({ folder }) }],
  },
  same('GET /api/inodes', 'GET /api/disk_inodes'),
  same('GET /api/folders'),
  {
    is: 'GET /api/folders/*path',
    isTaken: true,
    steps: [{ calls: 'GET /api/folders/*path', params: ({ path }) => ({ path }) }],
  },

  {
    is: 'GET /api/mysql/databases',
    steps: [{ calls: 'GET /api/mysql-size' }],
    reply: ([sizes]) => ({ databases: sizes.map(({ Database: name }: { Database: string }) => name) }),
  },
  asked('GET /api/mysql/size', ['unit', 'show_all'], 'GET /api/mysql-size'),
  {
    is: 'POST /api/mysql/databases',
    takes: ['name!'],
    status: 201,
    steps: [{ calls: 'POST /api/databases', body: ({ name }) => ({ name }) }],
  },
  {
    is: 'DELETE /api/mysql/databases/:db_name',
    steps: [{ calls: 'DELETE /api/databases/:database', params: ({ db_name: database = '' }) => ({ database }) }],
  },
  {
    is: 'GET /api/mysql/databases/:db_name/tables',
    steps: [{ calls: 'GET /api/databases/:database/tables', params: ({ db_name: database = '' }) => ({ database }) }],
  },
  maintains('optimize'),
  maintains('repair'),
  { is: 'GET /api/mysql/users', steps: [{ calls: 'GET /api/database-users' }], reply: ([users]) => ({ users }) },
  {
    is: 'DELETE /api/mysql/users/:db_user',
    steps: [{ calls: 'DELETE /api/database-users/:user', params: ({ db_user: user = '' }) => ({ user }) }],
  },
  {
    is: 'POST /api/mysql/grants',
    takes: ['username!', 'database!', 'privileges!', 'host'],
    steps: [{ calls: `PUT ${GRANT}`, params: grantOn, body: ({ privileges, host }) => ({ privileges, host }) }],
  },
  {
    is: 'DELETE /api/mysql/grants',
    takes: ['username!', 'database!', 'host'],
    steps: [{ calls: `DELETE ${GRANT}`, params: grantOn, query: ({ host }) => ({ host }) }],
  },
  {
    is: 'GET /api/mysql/processlist',
    steps: [{ calls: 'GET /api/database-processes' }],
    reply: ([processes]) => ({ processes }),
  },

  { is: 'GET /api/containers', steps: [CONTAINERS], reply: ([{ data }]) => ({ containers: data[0].Containers }) },
  {
    is: 'GET /api/containers/status',
    steps: [CONTAINERS],
    reply: ([{ data }]) => ({ containers: data[0].Containers.map(statusOf) }),
  },
  {
    is: 'GET /api/containers/:service/status',
    steps: [CONTAINERS],
    reply: ([{ data }], { service }) =>
      statusOf(one<Container>(data[0].Containers, ({ Names }) => Names === service, 'not_found', 'container')),
  },

  withContainer('POST /api/containers/:service/start', 'POST /start'),
  withContainer('POST /api/containers/:service/stop', 'POST /stop'),
  withContainer('POST /api/containers/:service/restart', 'POST /restart'),
  withContainer('PATCH /api/containers/:service/resources', 'PATCH /limits', {
    takes: ['cpu', 'ram'],
    body: resources,
  }),
  withContainer('PATCH /api/containers/:service', 'PATCH /limits', { takes: ['cpu', 'ram'], body: resources }),
  withContainer('DELETE /api/containers/:service', 'DELETE '),

  { is: 'GET /api/sites', steps: [SITES], reply: ([{ sites }]) => ({ sites }) },
  {
    is: 'GET /api/sites/:domain',
    steps: [SITES],
    reply: ([{ sites }], { domain }) =>
      one<{ site: string }>(sites, ({ site }) => site === domain, 'domain_not_found', 'site'),
  },
  {
    is: 'GET /api/sites/:domain/screenshot',
    produces: ['image/png'],
    steps: [{ calls: SCREENSHOT, params: ({ domain }) => ({ path: domain }) }],
  },
  {
    is: 'POST /api/sites/:domain/screenshot',
    produces: ['image/png'],
    steps: [{ calls: SCREENSHOT, params: ({ domain }) => ({ path: domain }), query: () => ({ refresh: true }) }],
  },
  asked('GET /api/sites/database-size', ['database'], 'GET /api/database-size'),
  same('GET /api/autoinstaller', SITES.calls),
  {
    is: 'GET /api/wordpress',
    steps: [SITES],
    reply: ([{ sites }]) => ({ sites: sites.filter(({ type }: { type: string }) => type === 'wordpress') }),
  },

  asked('GET /api/search/files', ['q', 'ext', 'folder', 'limit']),
  asked('GET /api/search/folders', ['q', 'folder', 'limit']),
  asked('GET /api/search/features', ['q', 'limit']),
  asked('GET /api/search/websites', ['q', 'limit']),
];
