/** The requests that OpenPanel documents, one for each row of the tables, and what they are answered. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import { codeOf } from '../../support/account-client.ts';
import { PASSWORD, type TestServer } from '../../support/hostkeep.ts';
import { assertNone } from '../../support/lists.ts';

// oxlint-disable-next-line no-explicit-any
export type Body = any;
export interface Example {
  readonly path?: string | (() => string);
  readonly body?: unknown;
  readonly status?: number;
  /** What the answer is; the same as that of the one operation behind it unless given. */
  readonly is?: (body: Body) => void;
}
const kept = { secret: '', session: '' };
export const succeeded = (pattern: RegExp) => (body: Body) => {
  assert.is(body.success, true);
  assert.match(body.response?.message ?? body.message, pattern);
};
const has = (members: readonly string[]) => (body: Body) =>
  assertNone(members, (name) => !Object.hasOwn(body, name), JSON.stringify(body));

/** Of an account whose databases are files. */
const NOT_MANAGED: Example = { status: 409, is: (body) => assert.is(body.error, 'databases_not_managed') };

/** Of what this machine's configuration does not offer. */
const unavailable = (status: number, error: string): Example => ({
  status,
  is: (body) => assert.is(body.error, error),
});

/** What the command of OpenPanel says. */
const said = (line: string) => (body: Body) => assert.equal(body, { stdout: `${line}\n`, stderr: '', returncode: 0 });
const NO_CONTAINER: Example = { status: 404, is: (body) => assert.is(body.error, 'not_found') };

/** By address and row, in the order in which they are asked; for the accounts demo and root. */
export const examples = (server: () => TestServer): Readonly<Record<Address, Readonly<Record<string, Example>>>> => ({
  user: {
    'POST /api/login': { body: { username: 'demo', password: PASSWORD }, is: has(['token', 'expires_in']) },
    'POST /api/domains': {
      body: { domain: 'example.com' },
      status: 201,
      is: (body) => {
        assert.is(body.domain_url, 'example.com');
        writeFileSync(join(server().data, 'files/demo/example.com/index.html'), '<p>Hello');
      },
    },
    'GET /api/domains': {},
    'GET /api/php/versions': { is: ({ versions }) => assert.ok(Array.isArray(versions)) },
    'GET /api/php/domains': {
      is: ({ domains }) => assert.equal(domains, [{ domain: 'example.com', version: '' }]),
    },
    'PUT /api/php/domains': {
      body: { domain: 'example.com', version: '9.9' },
      status: 404,
      is: (body) => assert.is(body.error, 'php_version_not_found'),
    },
    'GET /api/domains/:domain/logs': {
      path: '/api/domains/example.com/logs',
      is: (body) => assert.equal(body, { domain: 'example.com', logs: [] }),
    },
    'GET /api/stats/:domain': { path: '/api/stats/example.com', is: (body) => assert.is(body.hits, 0) },
    'GET /api/sites/:domain/visitors': {
      path: '/api/sites/example.com/visitors',
      is: (body) => assert.is(body.hits, 0),
    },
    'GET /api/stats': {
      is: (body) => assert.equal(body, { domains: [{ domain: 'example.com', available: false }] }),
    },
    'GET /api/domains/:domain/docroot': {
      path: '/api/domains/example.com/docroot',
      is: (body) => assert.equal(body, { domain: 'example.com', docroot: '/var/www/html/example.com' }),
    },
    'PUT /api/domains/:domain/docroot': {
      path: '/api/domains/example.com/docroot',
      body: { docroot: 'example.com' },
      is: (body) => assert.is(body.docroot, '/var/www/html/example.com'),
    },
    'POST /api/domains/:domain/suspend': {
      path: '/api/domains/example.com/suspend',
      is: (body) => assert.is(body.suspended, true),
    },
    'POST /api/domains/:domain/unsuspend': {
      path: '/api/domains/example.com/unsuspend',
      is: (body) => assert.is(body.suspended, false),
    },
    'PUT /api/domains/:domain/redirect': {
      path: '/api/domains/example.com/redirect',
      body: { redirect_url: 'https://elsewhere.example/' },
      is: (body) => assert.equal([body.path, body.match], ['/', 'prefix']),
    },
    'GET /api/domains/:domain/redirect': {
      path: '/api/domains/example.com/redirect',
      is: (body) => assert.equal(body, { domain: 'example.com', redirect_url: 'https://elsewhere.example/' }),
    },
    'DELETE /api/domains/:domain/redirect': {
      path: '/api/domains/example.com/redirect',
      is: (body) => assert.is(body.deleted, true),
    },
    'GET /api/domains/:domain/ssl': {
      path: '/api/domains/example.com/ssl',
      is: (body) => assert.equal([body.domain, body.ssl_mode, body.is_own], ['example.com', 'auto', false]),
    },
    'POST /api/domains/:domain/ssl': {
      path: '/api/domains/example.com/ssl',
      body: { action: 'auto' },
      ...unavailable(409, 'certificates_not_issued'),
    },
    'GET /api/domains/:domain/status': {
      path: '/api/domains/example.com/status',
      is: (body) => assert.equal(body, { domain: 'example.com', ssl: 'off', status: 'active' }),
    },
    'GET /api/waf': { is: ({ domains }) => assert.equal(domains, { 'example.com': 'Off' }) },
    'GET /api/waf/:domain': {
      path: '/api/waf/example.com',
      is: (body) =>
        assert.equal(body, {
          ...{ domain: 'example.com', status: 'Off', mode: 'off', removed_rules: [], removed_tags: [] },
        }),
    },
    'POST /api/waf/:domain': {
      path: '/api/waf/example.com',
      body: { status: 'On' },
      ...unavailable(409, 'waf_not_offered'),
    },
    'PUT /api/waf/:domain/rules': {
      path: '/api/waf/example.com/rules',
      body: { remove_by_id: [942_100] },
      is: (body) => assert.equal(body.removed_rules, [942_100]),
    },
    'GET /api/waf/log/:domain': { path: '/api/waf/log/example.com', is: has(['requests']) },
    'GET /api/cache/varnish/domains': {
      is: ({ domain_statuses: statuses }) => assert.equal(statuses, { 'example.com': 'Off' }),
    },
    'POST /api/cache/varnish/domains/:domain': {
      path: '/api/cache/varnish/domains/example.com',
      body: { status: 'Off' },
      is: (body) => assert.is(body.cached, false),
    },
    'GET /api/sites/:domain/temporary-link': {
      path: '/api/sites/example.com/temporary-link',
      ...unavailable(404, 'domain_not_found'),
    },
    'GET /api/inodes/*path': { path: '/api/inodes/example.com', is: has(['inodes', 'folders']) },
    'GET /api/files/*path': {
      path: '/api/files/example.com',
      is: ({ entries }) => assert.is(entries[0].name, 'index.html'),
    },
    'POST /api/file-manager/new-directory': {
      body: { path: 'example.com', foldername: 'new' },
      status: 201,
      is: (body) => assert.is(body.path, '/var/www/html/example.com/new'),
    },
    'POST /api/file-manager/rename': {
      body: { path: 'example.com', old_name: 'new', new_name: 'newer' },
      is: (body) => assert.is(body.path, '/var/www/html/example.com/newer'),
    },
    'POST /api/file-manager/create-archive': {
      body: { archive_name: 'all', extension: 'zip', path: 'example.com', selected_files: ['newer'] },
      status: 202,
      is: (body) => assert.equal([body.kind, body.path], ['compress', '/var/www/html/example.com/all.zip']),
    },
    'POST /api/file-manager/extract-archive': {
      body: { archive_name: 'none.zip', path: 'example.com', extract_destination: 'example.com/out' },
      status: 202,
      is: (body) => assert.is(body.kind, 'extract'),
    },
    'POST /api/trash/restore-all': { is: (body) => assert.equal(body, { results: [] }) },
    'POST /api/trash/delete-all': { status: 202, is: (body) => assert.is(body.kind, 'empty') },
    'POST /api/fix-permissions': {
      body: { directory: 'example.com' },
      status: 202,
      is: (body) => assert.is(body.kind, 'repair'),
    },
    'PUT /api/domains/:domain/capitalize': {
      path: '/api/domains/example.com/capitalize',
      body: { capitalized_domain: 'Example.com' },
      is: (body) => assert.equal(body, { domain: 'example.com', capitalized_domain: 'Example.com' }),
    },
    'GET /api/domains/:domain/capitalize': {
      path: '/api/domains/example.com/capitalize',
      is: (body) => assert.equal(body, { domain: 'example.com', capitalized_domain: 'Example.com' }),
    },
    'GET /api/sites': {
      is: (body) =>
        assert.equal(
          body.sites.map(({ site }: Body) => site),
          ['example.com'],
        ),
    },
    'GET /api/sites/:domain': { path: '/api/sites/example.com', is: (body) => assert.is(body.site, 'example.com') },
    'GET /api/sites/:domain/screenshot': {
      path: '/api/sites/example.com/screenshot',
      is: (body) => assert.equal(body, { url: 'https://pictures.example/example.com' }),
    },
    'POST /api/sites/:domain/screenshot': { path: '/api/sites/example.com/screenshot', is: has(['url']) },
    'GET /api/autoinstaller': {},
    'GET /api/wordpress': { is: (body) => assert.equal(body, { sites: [] }) },
    'DELETE /api/domains/:domain': {
      path: '/api/domains/example.com',
      is: (body) => assert.equal(body, { domain_url: 'example.com', deleted: true }),
    },
    'GET /api/account': { is: (body) => assert.equal(body, { username: 'demo', plan_name: 'developer' }) },
    'GET /api/account/sessions': {
      path: '/api/account/sessions?limit=5',
      is: ({ sessions }) => (kept.session = sessions.find(({ current }: Body) => !current).id),
    },
    'DELETE /api/account/sessions/:token': { path: () => `/api/account/sessions/${kept.session}`, is: has(['ended']) },
    'POST /api/account/2fa/setup': { body: { password: PASSWORD }, is: ({ secret }) => (kept.secret = secret) },
    'POST /api/account/2fa/confirm': {
      get body() {
        return { otp_code: codeOf(kept.secret) };
      },
      is: (body) => assert.is(body.enabled, true),
    },
    'GET /api/account/2fa': {},
    'DELETE /api/account/2fa': {
      get body() {
        return { password: PASSWORD, otp_code: codeOf(kept.secret, 1) };
      },
      is: (body) => assert.is(body.enabled, false),
    },
    'POST /api/account/favorites': {
      body: { link: '/domains', title: 'Domains' },
      is: (body) => assert.equal(body, [{ link: '/domains', title: 'Domains' }]),
    },
    'GET /api/account/favorites': {},
    'DELETE /api/account/favorites': { body: { link: '/domains' }, is: (body) => assert.equal(body, []) },
    'PUT /api/account/language': { body: { locale: 'de' }, is: (body) => assert.is(body.current, 'de') },
    'GET /api/account/language': {},
    'GET /api/account/login-history': {},
    'GET /api/account/activity': { path: '/api/account/activity?search=domain&page=1', is: has(['log_content']) },
    'GET /api/usage': { is: has(['container_stats']) },
    'GET /api/hosting/info': { is: has(['node', 'uptime']) },
    'GET /api/hosting/plan': {},
    'GET /api/hosting/ports': {},
    'GET /api/server/info': { is: has(['node', 'uptime']) },
    'GET /api/dashboard/resource-usage': { is: has(['container_stats']) },
    'GET /api/dashboard/disk-inodes': { is: has(['disk_used']) },
    'GET /api/disk-usage': { is: has(['size']) },
    'GET /api/disk-usage/*path': { path: '/api/disk-usage/example.com', is: has(['size']) },
    'GET /api/inodes': { is: has(['inodes_used']) },
    'GET /api/folders': {
      is: ({ folders }) =>
        assert.equal(
          folders.map(({ name }: Body) => name),
          ['example.com'],
        ),
    },
    'GET /api/folders/*path': { path: '/api/folders/var/www/html/example.com', is: has(['path', 'folders']) },
    'GET /api/mysql/databases': { is: (body) => assert.equal(body, { databases: [] }) },
    'GET /api/mysql/size': { path: '/api/mysql/size?unit=kb', is: (body) => assert.equal(body, []) },
    'POST /api/mysql/databases': { body: { name: 'shop' }, ...NOT_MANAGED },
    'DELETE /api/mysql/databases/:db_name': { path: '/api/mysql/databases/demo_shop', ...NOT_MANAGED },
    'GET /api/mysql/databases/:db_name/tables': { path: '/api/mysql/databases/demo_shop/tables', ...NOT_MANAGED },
    'POST /api/mysql/databases/:db_name/optimize': {
      path: '/api/mysql/databases/demo_shop/optimize',
      ...NOT_MANAGED,
    },
    'POST /api/mysql/databases/:db_name/repair': { path: '/api/mysql/databases/demo_shop/repair', ...NOT_MANAGED },
    'GET /api/mysql/info': { is: has(['databases', 'users', 'assigned_databases']) },
    'GET /api/mysql/users/:db_user/privileges/:db_name': {
      path: '/api/mysql/users/demo_app/privileges/demo_shop',
      ...unavailable(404, 'database_user_not_found'),
    },
    'GET /api/mysql/users': { is: (body) => assert.equal(body, { users: [] }) },
    'DELETE /api/mysql/users/:db_user': { path: '/api/mysql/users/demo_app', ...NOT_MANAGED },
    'POST /api/mysql/grants': {
      body: { username: 'demo_app', database: 'demo_shop', privileges: ['SELECT'] },
      ...NOT_MANAGED,
    },
    'DELETE /api/mysql/grants': { body: { username: 'demo_app', database: 'demo_shop' }, ...NOT_MANAGED },
    'GET /api/mysql/processlist': { is: (body) => assert.equal(body, { processlist: [] }) },
    'GET /api/containers/status': {
      is: ({ containers }) =>
        assert.equal(
          containers.map(({ state }: Body) => state),
          ['running'],
        ),
    },
    'GET /api/containers/:service/status': {
      path: '/api/containers/web/status',
      status: 404,
      is: (body) => assert.is(body.error, 'not_found'),
    },
    'POST /api/containers/:service/start': { path: '/api/containers/web/start', ...NO_CONTAINER },
    'POST /api/containers/:service/stop': { path: '/api/containers/web/stop', ...NO_CONTAINER },
    'POST /api/containers/:service/restart': { path: '/api/containers/web/restart', ...NO_CONTAINER },
    'PATCH /api/containers/:service/resources': {
      path: '/api/containers/aaaaaaaaaaaa/resources',
      body: { cpu: '99', ram: '1g' },
      status: 409,
      is: (body) => assert.is(body.error, 'container_limit_reached'),
    },
    'PATCH /api/containers/:service': {
      path: '/api/containers/aaaaaaaaaaaa',
      body: { ram: 'much' },
      status: 400,
      is: (body) => assert.is(body.error, 'invalid_request'),
    },
    'DELETE /api/containers/:service': { path: '/api/containers/web', ...NO_CONTAINER },
    'GET /api/containers': { is: ({ containers }) => assert.ok(Array.isArray(containers)) },
    'GET /api/sites/database-size': {
      path: '/api/sites/database-size?database=none',
      status: 404,
      is: (body) => assert.is(body.error, 'database_not_found'),
    },
    'GET /api/containers/:service/logs': { path: '/api/containers/web/logs', ...NO_CONTAINER },
    'GET /api/malware-scanner/quarantine': {},
    'POST /api/malware-scanner/scan': {
      body: { directory: 'example.com' },
      ...unavailable(503, 'malware_unavailable'),
    },
    'GET /api/ftp': {},
    'DELETE /api/ftp/:username': { path: '/api/ftp/demo_x', ...unavailable(404, 'login_not_found') },
    'PATCH /api/ftp/:username/path': {
      path: '/api/ftp/demo_x/path',
      body: { path: 'example.com' },
      ...unavailable(404, 'login_not_found'),
    },
    'GET /api/ftp/connections': {},
    'POST /api/backup-wizard/create': { status: 202, is: (body) => assert.is(body.kind, 'backup') },
    'GET /api/backup-wizard/status': { is: ({ tasks }) => assert.is(tasks[0].kind, 'backup') },
    'GET /api/backups/list': { is: has(['backups']) },
    'GET /api/mysql/configuration': { is: has(['configuration']) },
    'GET /api/postgresql/databases': { is: (body) => assert.equal(body, { databases: [] }) },
    'POST /api/postgresql/databases': { body: { name: 'shop' }, ...NOT_MANAGED },
    'DELETE /api/postgresql/databases/:db_name': {
      path: '/api/postgresql/databases/demo_shop',
      ...unavailable(404, 'database_not_found'),
    },
    'GET /api/postgresql/users': { is: (body) => assert.equal(body, { users: [] }) },
    'DELETE /api/postgresql/users/:db_user': {
      path: '/api/postgresql/users/demo_app',
      ...unavailable(404, 'database_user_not_found'),
    },
    'POST /api/postgresql/grants': {
      body: { username: 'demo_app', database: 'demo_shop' },
      ...unavailable(404, 'database_user_not_found'),
    },
    'DELETE /api/postgresql/grants': {
      body: { username: 'demo_app', database: 'demo_shop' },
      ...unavailable(404, 'database_user_not_found'),
    },
    'GET /api/postgresql/processlist': { is: (body) => assert.equal(body, { processlist: [] }) },
    'GET /api/postgresql/info': { is: has(['databases', 'users', 'assigned_databases']) },
    'GET /api/cache/redis': { is: has(['is_installed', 'is_on']) },
    'POST /api/cache/redis': { body: { action: 'disable' }, is: (body) => assert.is(body.is_on, false) },
    'GET /api/cache/memcached': { is: has(['is_installed', 'is_on']) },
    'POST /api/cache/memcached': { body: { action: 'disable' }, is: (body) => assert.is(body.is_on, false) },
    'GET /api/cache/elasticsearch': { is: has(['is_installed', 'is_on']) },
    'POST /api/cache/elasticsearch': { body: { action: 'disable' }, is: (body) => assert.is(body.is_on, false) },
    'GET /api/cache/opensearch': { is: has(['is_installed', 'is_on']) },
    'POST /api/cache/opensearch': { body: { action: 'disable' }, is: (body) => assert.is(body.is_on, false) },
    'GET /api/services': { is: ({ services }) => has(['service', 'container_state'])(services[0]) },
    'GET /api/services/:service': {
      path: '/api/services/redis',
      is: (body) => assert.equal([body.service, body.container_state], ['redis', 'exited']),
    },
    'POST /api/services/:service': {
      path: '/api/services/redis',
      body: { action: 'stop' },
      is: (body) => assert.is(body.is_on, false),
    },
    'GET /api/cache/varnish': { is: has(['is_installed', 'is_on']) },
    'POST /api/cache/varnish': { body: { action: 'disable' }, is: (body) => assert.is(body.is_on, false) },
    'GET /api/search/files': { path: '/api/search/files?q=x&ext=php', is: (body) => assert.equal(body, []) },
    'GET /api/search/folders': { path: '/api/search/folders?q=example', is: (body) => assert.is(body.length, 1) },
    'GET /api/search/features': { path: '/api/search/features?q=zzz', is: (body) => assert.equal(body, []) },
    'GET /api/search/websites': { path: '/api/search/websites?q=zzz', is: (body) => assert.equal(body, []) },
  },
  admin: {
    'GET /api/': { is: has(['message']) },
    'POST /api/': {
      body: { username: 'root', password: PASSWORD },
      is: async (body) => {
        assert.equal(Object.keys(body), ['access_token']);
        const { status } = await server().ask('/api/whoami', { address: 'admin', token: body.access_token });
        assert.is(status, 200);
      },
    },
    'GET /api/whoami': { is: (body) => assert.equal(body, { logged_in_as: 'root' }) },
    'POST /api/plans': {
      body: {
        ...{ name: 'starter', description: 'Starter hosting plan', email_limit: '10', max_email_quota: '0' },
        ...{ max_hourly_email: '0', ftp_limit: '5', domains_limit: '5', websites_limit: '5', disk_limit: '5 GB' },
        ...{ inodes_limit: '100000', db_limit: '5', cpu: '1', ram: '1.5g', bandwidth: '100', feature_set: 'default' },
      },
      status: 201,
      is: succeeded(/created the plan starter/),
    },
    'GET /api/plans': {
      is: ({ plans }) => {
        const starter = plans.find(({ name }: Body) => name === 'starter');
        assert.equal(starter, {
          ...{ id: 539038149, name: 'starter', description: 'Starter hosting plan', email_limit: 10, ftp_limit: 5 },
          ...{ domains_limit: 5, websites_limit: 5, disk_limit: '5 GB', inodes_limit: 100_000, db_limit: 5 },
          ...{ cpu: '1', ram: '1.5g', bandwidth: 100, feature_set: 'starter' },
        });
      },
    },
    'PUT /api/plans/:plan_id': {
      path: '/api/plans/539038149',
      body: { name: 'starter', description: 'Larger', disk_limit: 20, cpu: '2', ram: '2g' },
      is: succeeded(/changed the plan starter/),
    },
    'PATCH /api/plans/:plan_id': {
      path: '/api/plans/starter',
      body: { disk_limit: '10' },
      is: succeeded(/changed the plan starter/),
    },
    'GET /api/plans/:plan_id': {
      path: '/api/plans/539038149',
      is: ({ plan }) => assert.equal([plan.disk_limit, plan.cpu, plan.description], ['10 GB', '2', 'Larger']),
    },
    'POST /api/users': {
      body: {
        ...{ email: 'stefan@example.com', username: 'stefan', password: 's32dsasaq', plan_name: 'starter' },
      },
      status: 201,
      is: (body) => assert.equal(body, { success: true, response: { message: 'Successfully added user stefan' } }),
    },
    'POST /api/users/:username': {
      path: '/api/users/petar',
      body: { username: 'petar', password: 's32dsasaq', email: 'petar@example.com', plan_name: 'basic' },
      status: 201,
      is: succeeded(/added user petar/),
    },
    'GET /api/users': {
      is: ({ users }) => {
        assert.equal(
          users.map(({ username }: Body) => username),
          ['demo', 'petar', 'stefan'],
        );
        has(['id', 'email', 'plan_name', 'registered_date'])(users[0]);
      },
    },
    'GET /api/users/:username': {
      path: '/api/users/stefan',
      is: ({ user: { user, plan, domains, sites, disk_usage: disk } }) => {
        assert.equal([user.username, user.email, plan.name], ['stefan', 'stefan@example.com', 'starter']);
        assert.match(user.registered_date, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
        assert.equal([domains, sites, disk.disk_soft, disk.inodes_hard], [[], [], 10 * 1024 * 1024, 100_000]);
      },
    },
    'PUT /api/users/:username': {
      path: '/api/users/stefan',
      body: { plan_name: 'basic' },
      is: succeeded(/plan of user stefan to basic/),
    },
    'PATCH /api/users/:username': {
      path: '/api/users/stefan',
      body: { action: 'suspend', password: 'NEW_PASSWORD_HERE' },
      is: succeeded(/for user stefan: suspend/),
    },
    'POST /api/users/:username/autologin': {
      path: '/api/users/petar/autologin',
      is: ({ link }) => assert.match(link, /^http.*#login=/),
    },
    'GET /api/domains': { is: (body) => assert.equal(body, { domains: [] }) },
    'POST /api/domains/new': {
      body: { username: 'petar', domain: 'petars.example', docroot: '/var/www/html/shop' },
      is: said('Domain petars.example added successfully'),
    },
    'GET /api/domains/docroot/:domain': {
      path: '/api/domains/docroot/petars.example',
      is: said('/var/www/html/shop'),
    },
    'POST /api/domains/suspend/:domain': {
      path: '/api/domains/suspend/petars.example',
      is: said('Domain petars.example suspended'),
    },
    'POST /api/domains/unsuspend/:domain': {
      path: '/api/domains/unsuspend/petars.example',
      is: said('Domain petars.example unsuspended'),
    },
    'POST /api/domains/delete/:domain': {
      path: '/api/domains/delete/petars.example',
      is: said('Domain petars.example deleted'),
    },
    'DELETE /api/users/:username': { path: '/api/users/stefan', is: succeeded(/removed user stefan/) },
    'DELETE /api/plans/:plan_id': {
      path: '/api/plans/539038149',
      is: (body) => assert.equal([body.success, body.output], [true, '']),
    },
    'GET /api/usage/cpu': { is: has(['core_0']) },
    'GET /api/usage/memory': { is: has(['ram_info', 'human_readable_info']) },
    'GET /api/usage/server': { is: (body) => has(['device', 'mountpoint', 'total', 'percent'])(body[0] ?? {}) },
    'GET /api/usage/disk': {
      is: (body) => {
        assert.equal(Object.keys(body), ['demo', 'petar']);
        has(['diskusage', 'disklimit', 'inodesusage', 'inodeslimit', 'bwusage', 'bwlimit'])(body.petar);
        assert.is(body.petar.disklimit, 5 * 1024);
      },
    },
    'GET /api/system': {
      is: has(['hostname', 'os', 'time', 'kernel', 'cpu', 'uptime', 'running_processes', 'package_updates']),
    },
    'GET /api/server/processes': { is: (body) => has(['pid', 'name', 'cpu_percent', 'owner', 'command'])(body[0]) },
    'GET /api/server/timezone': {
      is: ({ current_timezone: zone, available_timezones: zones }) => {
        assert.type(zone, 'string');
        assert.ok(zones.includes('Europe/Vienna'));
      },
    },
    'GET /api/settings/modules': {
      is: ({ features, plugins }) => {
        assert.equal(
          features.find(({ name }: Body) => name === 'domains'),
          { name: 'domains', status: 'ready' },
        );
        assert.ok(plugins.some(({ name }: Body) => name === 'openpanel'));
      },
    },
    'GET /api/settings/administrators': {
      is: (body) =>
        assert.equal(
          body.map(({ username }: Body) => username),
          ['root'],
        ),
    },
  },
});
