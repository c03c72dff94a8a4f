/** What OpenPanel documents, request for request, in the order of a day: every row of the tables has one here. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import { adminRows } from '../../../plugins/openpanel/admin-rows.ts';
import { userRows } from '../../../plugins/openpanel/user-rows.ts';
import { reauthenticate } from '../../support/account-client.ts';
import { examples, succeeded, type Body } from './examples.ts';
import { demoEngine } from '../../support/fake-engine.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer, type Answer } from '../../support/hostkeep.ts';
import { rawRequest } from '../../support/raw.ts';
import { testSuite } from '../../support/suite.ts';
import { eventually } from '../../support/until.ts';
import { assertNone } from '../../support/lists.ts';

const test = testSuite('openpanel');
let server: TestServer;
const tokens: Record<Address, string> = { user: '', admin: '' };
test.before(async () => {
  const socket = join(temporaryFolder(), 'docker.sock');
  await demoEngine(socket);
  const screenshots = { remote_url: 'https://pictures.example/{domain}' };
  server = await TestServer.start({ config: { plugins: { openpanel: true }, containers: { socket }, screenshots } });
  tokens.admin = (await server.admin()).token;
  tokens.user = (await server.user('demo')).token;
});

const ask = (address: Address, method: string, path: string, body?: unknown): Promise<Answer<Body>> =>
  server.ask<Body>(path, { address, method, token: tokens[address], ...(body !== undefined && { body }) });

const EXAMPLES = examples(() => server);

test('every row of the tables has an example', () => {
  for (const [address, rows] of [
    ['user', userRows],
    ['admin', adminRows],
  ] as const)
    assert.equal(rows.map(({ is }) => is).toSorted(), Object.keys(EXAMPLES[address]).toSorted(), address);
});

for (const address of ['user', 'admin'] as const)
  test(`the ${address} address answers in the form of OpenPanel`, async () => {
    if (address === 'admin') await reauthenticate(server, tokens.admin);
    const rows = new Map((address === 'user' ? userRows : adminRows).map((row) => [row.is, row]));
    for (const [is, example] of Object.entries(EXAMPLES[address])) {
      const [method = '', pattern = ''] = is.split(' ');
      const path = typeof example.path === 'function' ? example.path() : (example.path ?? pattern);
      const send = () => ask(address, method, `/openpanel${path}`, example.body);
      // What measures the machine may be too late on a busy one, and says when to ask again.
      const isInTime = ({ status }: Answer<Body>) => status !== 503;
      const { status, body } = await (method === 'GET' ? eventually(`${is} in time`, send, isInTime) : send());
      assert.is(status, example.status ?? 200, `${is}: ${JSON.stringify(body)}`);
      if (example.is !== undefined) await example.is(body);
      else {
        const [nativeMethod = '', nativePath = ''] = (rows.get(is)?.steps[0]?.calls ?? '').split(' ');
        assert.equal(body, (await ask(address, nativeMethod, nativePath)).body, is);
      }
    }
  });

test('paths that are not ours answer where OpenPanel has them, too', async () => {
  assert.is((await ask('admin', 'GET', '/api/users')).body.users.length, 2);
  assert.is((await ask('user', 'GET', '/api/account')).body.username, 'demo');
  await ask('user', 'POST', '/api/domains', { domain: 'again.example' });
  writeFileSync(join(server.data, 'files/demo/again.example/index.html'), '<p>Hello');
  const { sites } = (await ask('admin', 'GET', '/api/users/demo')).body.user;
  assert.equal(
    sites.map(({ site }: Body) => site),
    ['again.example'],
  );
  assert.ok(Array.isArray((await ask('admin', 'GET', '/api/usage/disk')).body), 'the partitions of the node');
  assert.is((await ask('admin', 'GET', '/api/plans')).body.plans[0].id, undefined);
  const { body } = await ask('admin', 'PATCH', '/api/users/petar', { password: 'another-one' });
  succeeded(/petar: change the password/)(body);
});

test('the lists of our own operations stay as they are', async () => {
  const { body: list } = await ask('admin', 'GET', '/api/usage');
  assert.not.ok(list.endpoints.some(({ path }: Body) => path.startsWith('/api/users')));
  for (const address of ['user', 'admin'] as const) {
    const { body } = await ask(address, 'GET', '/openapi.json');
    assertNone(Object.keys(body.paths), (path) => /openpanel|\/api\/users/.test(path));
  }
});

test('what is not here is 501, and says what', async () => {
  const cases: [Address, string, string, string][] = [
    ['user', 'GET', '/api/emails', 'emails'],
    ['user', 'POST', '/api/mysql/users', 'mysql'],
    ['user', 'PUT', '/api/domains/example.com/dns/records/7', 'dns'],
    ['user', 'PUT', '/api/domains/example.com/vhost', 'domains'],
    ['user', 'GET', '/api/cache/opcache', 'cache'],
    ['user', 'POST', '/api/ftp', 'ftp'],
    ['user', 'PATCH', '/api/account', 'account changes'],
    ['user', 'GET', '/api/search/emails', 'search'],
    ['user', 'POST', '/openpanel/api/wordpress/install', 'wordpress'],
    ['admin', 'GET', '/api/settings/php', 'settings'],
    ['admin', 'GET', '/api/services/status', 'services'],
    ['admin', 'GET', '/api/ips', 'addresses of accounts'],
    ['admin', 'POST', '/api/domains/docroot/example.com', 'domains of other accounts'],
    ['admin', 'POST', '/api/users/petar/containers/stop/web', 'containers'],
  ];
  for (const [address, method, path, feature] of cases) {
    const { status, body } = await ask(address, method, path);
    assert.equal([status, body.error, body.feature], [501, 'not_offered', feature], path);
  }
  assert.is((await ask('user', 'GET', '/openpanel/api/nothing')).status, 404);
});

test('CONNECT is told what to use', async () => {
  const head = `authorization: Bearer ${tokens.admin}\r\nhost: localhost\r\ncontent-length: 0`;
  const text = await rawRequest(server.hostkeep.url('admin'), `CONNECT /api/users/petar HTTP/1.1\r\n${head}\r\n\r\n`);
  assert.match(text, /^HTTP\/1\.1 405 /);
  assert.match(text, /\r\nAllow: POST\r\n/);
  assert.match(text, /use POST \/api\/users\/\{username\}\/autologin/);
});

test("bad input is refused with OpenPanel's names, or the operation's", async () => {
  const bad: [Address, string, string, unknown, string][] = [
    ['user', 'POST', '/api/domains', {}, 'body/domain is missing'],
    ['user', 'POST', '/api/domains', { domain: 5 }, 'body/domain_url must be text, and is a number'],
    ['user', 'POST', '/api/domains', { domain: 'a.example', owner: 'x' }, 'body/owner is not known here'],
    ['user', 'GET', '/api/usage?all=1', undefined, 'query/all is not known here'],
    ['user', 'POST', '/api/cache/redis', { action: 'erase' }, 'body/action must be one of enable, disable, restart'],
    ['user', 'POST', '/api/domains/x.example/ssl', { action: 'custom' }, 'body/action must be one of auto'],
    ['admin', 'POST', '/api/domains/new', { domain: 'a.example' }, 'body/username is missing'],
    [
      'user',
      'POST',
      '/api/file-manager/new-directory',
      { path: 'example.com', foldername: ['x'] },
      'body/path must be text, and is a list [ … ]',
    ],
    [
      'user',
      'POST',
      '/api/file-manager/create-archive',
      { archive_name: ['x'], extension: 'zip', selected_files: ['a'] },
      'body/to must be text, and is a list [ … ]',
    ],
    ['admin', 'PATCH', '/api/users/petar', { action: 'erase' }, 'body/action must be one of suspend, unsuspend'],
    ['admin', 'PATCH', '/api/users/petar', {}, 'the body needs an action or a password'],
    ['admin', 'PATCH', '/openpanel/api/plans/basic', { name: 'other' }, 'body/name is not known here'],
    [
      'admin',
      'PATCH',
      '/openpanel/api/plans/basic',
      { disk_limit: 'much' },
      'body/limits/disk_limit_mib must be a whole number, and is text',
    ],
  ];
  await server.hostkeep.core.accounts.update('demo', { locale: 'en' }); // an example has chosen another
  for (const [address, method, path, sent, detail] of bad) {
    const { status, body } = await ask(address, method, path, sent);
    assert.equal([status, body.error, body.detail], [400, 'invalid_request', detail]);
  }
  const missing: [Address, string, string][] = [
    ['user', '/api/domains/nowhere.example/docroot', 'domain_not_found'],
    ['user', '/api/sites/nowhere.example', 'domain_not_found'],
    ['admin', '/api/users/nobody', 'account_not_found'],
    ['admin', '/api/domains/docroot/nowhere.example', 'domain_not_found'],
    ['admin', '/openpanel/api/plans/17', 'plan_not_found'],
  ];
  for (const [address, path, code] of missing) {
    const { status, body } = await ask(address, 'GET', path);
    assert.equal([status, body.error], [404, code]);
  }
});
