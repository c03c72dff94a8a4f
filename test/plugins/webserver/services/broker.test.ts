import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { chownSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { FIRST_ID, launcherAt, NOBODY, startBroker, type TestBroker } from '../../../support/broker.ts';
import { CLI } from '../../../support/command.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { NodeProcess, prepare } from '../../../support/node-process.ts';
import { AS_NOBODY, NO_RIGHTS, rightsIn } from '../../../support/process-rights.ts';
import { testStore } from '../../../support/postgres.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const makeKey = () =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
const test = testSuite('webserver through the broker');

if (hasNginx()) {
  const BARE = ['--bounding-set=-all', '--no-new-privs', '--'];
  let nginx: Nginx;
  let broker: TestBroker;
  let node: NodeProcess;
  let token: string;
  const data = () => join(broker.folder, 'data');
  const add = (domain_url: string) => node.ask('/api/domains/new', { method: 'POST', token, body: { domain_url } });
  const status = async (name: string, path = '/') => (await nginx.fetch(name, path)).status;

  test.before(async () => {
    nginx = await Nginx.start('www-data');
    broker = await startBroker({ webserver: nginx.settings });
    chownSync(data(), 0, 0);
    await prepare(data(), { ann: 'user', root: 'admin' });
    for (const name of ['.', ...readdirSync(data())]) chownSync(join(data(), name), NOBODY, NOBODY);
    node = await NodeProcess.start(data(), {
      config: broker.settings,
      through: ['setpriv', ...AS_NOBODY, ...BARE],
    });
    token = await node.login('ann');
    const admin = { token: await node.login('root', undefined, 'admin'), address: 'admin' } as const;
    // whose change of a new site would meet what the tests have the broker write
    await node.ask('/api/accounts/ann/features/php', { method: 'DELETE', ...admin });
  });
  test.after(async () => {
    await node.end();
    await broker.kill();
    await nginx.remove();
  });

  // asvs 13.2.2: the process that speaks HTTP has no capability and no group, and adds domains all the same
  test('a service without any right serves a new domain, in a folder of the account', async () => {
    assert.equal(rightsIn(readFileSync(`/proc/${node.pid}/status`, 'utf8')), NO_RIGHTS);
    assert.is(statSync(nginx.vhostFolder).uid, 0, 'nobody cannot write there');
    assert.is((await add('shop.example')).status, 201, node.output.slice(-2000));
    const root = join(broker.folder, 'files/ann');
    writeFileSync(join(root, 'shop.example/index.html'), 'the shop');
    assert.is((await nginx.fetch('shop.example')).body, 'the shop');
    assert.equal([statSync(root).uid, statSync(join(root, 'shop.example')).uid], [FIRST_ID + 1, FIRST_ID + 1]);
    const listed = await node.ask<{ folders: unknown[] }>('/api/directory-size?folder=/var/www/html', { token });
    assert.is(listed.status, 200, JSON.stringify(listed.body));
  });

  test('a suspended account shows the page at once, and is served again', async () => {
    const admin = await node.login('root', undefined, 'admin');
    const change = (verb: string) =>
      node.ask(`/api/accounts/ann/${verb}`, { method: 'POST', token: admin, address: 'admin' });
    assert.is((await change('suspend')).status, 200);
    await until('the page of suspended sites', async () => (await status('shop.example')) === 503);
    assert.is((await change('unsuspend')).status, 200);
    await until('the site again', async () => (await status('shop.example')) === 200);
    token = await node.login('ann');
  });

  // threat stolen-service: what a stolen service can have the broker write is a virtual host of an account, and no more
  test('the broker writes no virtual host that its caller could not have for an account', async () => {
    const client = await launcherAt(broker.socket);
    const id = 'f'.repeat(16);
    const account = { id: 1, username: 'ann' };
    const plain = { names: [], previews: [], php: null, bodyMib: null, certificate: '', parts: {} };
    const site = { domain: 'x.example', account, components: [] as string[], isSuspended: false, ...plain };
    const php = { socket: '/run/php/1/fpm.sock', bodyMib: 1, seconds: 1, fronts: [] };
    const tls = { authority: null, isForced: false, hasHsts: false, thumbprint: '' };
    const withTls = { ...site, parts: { certificates: tls } };
    const before = readdirSync(nginx.vhostFolder).toSorted();
    for (const change of [
      { file: '../nginx.conf' },
      { file: 'hostkeep--common.conf' },
      { file: 'hostkeep--server.conf' },
      { file: 'other.conf' },
      { content: 'server {}', file: 'hostkeep-x.example.conf' },
      { site: { ...site, components: ['..', 'bea'] } },
      { site: { ...site, components: ['a/b'] } },
      { site: { ...site, components: ['a";}'] } },
      { site: { ...site, domain: 'x.example; return 200' } },
      { site: { ...site, domain: '*.example' } },
      { site: { ...site, account: { id: 1, username: '../etc' } } },
      { site: { ...site, listen: '81' } },
      { site: { ...site, php: { ...php, socket: '/run/php/2/fpm.sock' } } },
      { site: { ...site, php: { ...php, socket: '/run/php/2/../1/fpm.sock' } } },
      { site: { ...site, php: { ...php, socket: '/run/docker.sock' } } },
      { site: { ...site, php: { ...php, socket: '/run/php/1/fpm.sock";}' } } },
      { site: { ...site, php: { ...php, bodyMib: '1m; return 200' } } },
      { site: { ...site, bodyMib: '1m; return 200' } },
      { site: { ...site, parts: [] } },
      { site: { ...site, parts: { redirects: 'x' } } },
      { site: { ...site, parts: { 'webserver-conf': { headers: [] } } } },
      { site: { ...withTls, certificate: '/etc/ssl/private/other.pem' } },
      { site: { ...withTls, certificate: `hostkeep-${'0'.repeat(64)}.pem` } },
      { site: { ...site, parts: { certificates: { ...tls, thumbprint: '";}' } } } },
      { site: { ...site, names: ['x.example; return 200'] } },
      { site: { ...site, names: ['*.example'] } },
      { site: { ...site, previews: ['a.example {'] } },
      { site: { ...site, parts: { 'site-access': { blocked: [], locks: [] } } } },
    ])
      await client.call('webserver.apply', { id, changes: [change], reload: null }, 10_000).then(
        () => assert.unreachable(JSON.stringify(change)),
        () => undefined,
      );
    for (const pem of ['', 'server {}', `${makeKey()}server {}`, makeKey()])
      await client.call('webserver.keep', [pem], 10_000).then(
        () => assert.unreachable(pem),
        () => undefined,
      );
    assert.equal(readdirSync(nginx.vhostFolder).toSorted(), before);
    await until('the site as before', async () => (await status('shop.example')) === 200);
  });

  test('without the broker, domains are refused and sites are served', async () => {
    await broker.kill();
    const refused = await add('late.example');
    assert.ok([502, 503].includes(refused.status), String(refused.status));
    // a worker of nginx from before the last reload may answer once more
    await until('the shop', async () => (await status('shop.example')) === 200);
    await broker.up();
    assert.is((await add('late.example')).status, 201, node.output.slice(-2000));
    assert.is(await status('late.example'), 403, 'an empty folder');
  });

  test('doctor has the broker try the configuration of the web server', async () => {
    const command = [CLI, '--config', join(broker.folder, 'etc/hostkeep.json'), 'doctor', '--json'];
    const env = { ...process.env, HOSTKEEP_DATA: data(), HOSTKEEP_STORE_URL: testStore(data()).store?.url };
    const { stdout } = spawnSync('setpriv', [...AS_NOBODY, '--', process.execPath, ...command], {
      env,
      encoding: 'utf8',
    });
    const findings = JSON.parse(stdout) as { name: string; ok: boolean; detail: string }[];
    const found = findings.find(({ name }) => name === 'web server');
    assert.ok(found?.ok, JSON.stringify(found));
    assert.ok(existsSync(join(nginx.vhostFolder, '.hostkeep-owner')), 'the service still has the lock');
  });
}
