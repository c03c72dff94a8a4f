/** Domains, certificates and settings of an account in its backups, and their way back while the account is in use. */
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { definePlugin } from '../../../../kernel/contract/plugin.ts';
import { Type } from '../../../../kernel/schema.ts';
import { selfSigned, signedBy } from '../../../support/certificate.ts';
import { allPlugins, TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { fetchPage } from '../../../support/page.ts';
import type { Row } from '../../../support/scenario.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import { Customer, hasRestic, SETTINGS } from '../customer.ts';

await needs('backups', 'domains', 'webserver', 'certificates', 'redirects', 'php', 'site-access');
const test = testSuite('settings in backups');
const NAME = 'shop.example';
const LATER = 'later.example';
const authority = selfSigned('Some CA');
const files = signedBy(authority, `DNS:${NAME}`);
const [ca, certificate, key] = [authority.cert, files.cert, files.key].map((file) => readFileSync(file, 'utf8'));

/** Stands for a plugin that is slow, or fails, when its part of the settings is saved or put back. */
const slow = { saves: async () => 'kept' as string | undefined, restores: async () => {} };
const probe = definePlugin({
  name: 'probe',
  features: [],
  routes: {},
  setup: () => ({
    handlers: {},
    provides: { archive: () => ({ schema: Type.String(), save: () => slow.saves(), restore: () => slow.restores() }) },
  }),
});

let nginx: Nginx;
let server: TestServer;
let [ann, bob] = [] as unknown as [Customer, Customer];
let first = '';

const status = async (host: string, path = '/') => (await fetchPage(nginx.port, host, path)).status;
const asks = (...row: Row) => ann.person.asks(...row);
const domains = async () =>
  (await ann.person.asks<{ domains: { domain_url: string; aliases: string[] }[] }>('GET /api/domains', 200)).domains;
const names = async () => (await domains()).map(({ domain_url: name }) => name);
const remove = (domain_url = NAME) => asks('POST /api/domains/delete', { domain_url }, 200);
const overTls = () =>
  new Promise<unknown>((resolve) => {
    const options = { port: nginx.tlsPort, host: '127.0.0.1', servername: NAME, headers: { host: NAME }, ca };
    get({ ...options, agent: false }, ({ statusCode }) => resolve(statusCode)).on('error', (error) => resolve(error));
  });

if (hasRestic && hasNginx()) {
  test.before(async () => {
    nginx = await Nginx.start();
    const config = { ...SETTINGS, webserver: nginx.settings };
    server = await TestServer.start({ config, plugins: [...(await allPlugins()), probe] });
    [ann, bob] = [await Customer.make(server, 'anna'), await Customer.make(server, 'bob')];
    await asks('POST /api/domains/new', { domain_url: NAME, docroot: 'site' }, 201);
    writeFileSync(join(ann.person.account.filesRoot, 'site/index.html'), 'Welcome');
    await ann.person.rows(
      ['POST /api/aliases', { domain_url: NAME, alias: 'store.example' }, 201],
      ['POST /api/redirects', { domain_url: NAME, path: '/old', target: '/new' }, 201],
      [`PUT /api/php/sites/${NAME}/options`, { timezone: 'Europe/Paris' }, 200],
      [`PUT /api/certificates/${NAME}`, { certificate, private_key: key }, 200],
      [`PUT /api/site-access/${NAME}/users`, { path: '/private', name: 'eve', password: 'of the folder' }, 200],
    );
    first = await ann.backup();
  });
  test.after(() => nginx.remove());

  test('a backup says whether it has the settings, and hands them to nobody', async () => {
    const { saved, size_bytes: size, problem } = await asks(`GET /api/backups/${first}/settings`, 200);
    assert.equal([saved, problem, Number(size) > 1000], [true, null, true]);
    await ann.person.asks(`GET /api/backups/${first}/databases`, 200, { databases: [] });
    for (const name of ['settings', '%20', ''])
      assert.match(
        String(await ann.person.tries(`GET /api/backups/${first}/databases/settings/${name}/content`)),
        /^4/,
      );
    for (const line of [`GET /api/backups/${first}/settings`, `POST /api/backups/${first}/settings/restore`] as const) {
      await bob.person.asks(line, '404 backup_not_found');
      await server.with().asks(line, '401 authentication_required');
    }
    await server.hostkeep.core.accounts.setFeature('bob', 'backups', false);
    await bob.person.asks(`POST /api/backups/${first}/settings/restore`, '403 feature_disabled');
    await server.hostkeep.core.accounts.setFeature('bob', 'backups', true);
  });

  // threat leaked-secrets: scripts of the account can read all of its repository
  test('the repository has no private key that its account could read', async () => {
    const sealed = await ann.sealed(first);
    const text = server.hostkeep.core.keys.unseal(
      sealed,
      `settings in backups of the account ${ann.person.account.id}`,
    );
    assert.ok(text.includes(JSON.stringify(key).slice(1, -1)), 'they are in what is sealed');
    const secret = (key ?? '').split('\n')[1] ?? 'none';
    const all = [sealed, Buffer.from(sealed, 'base64url').toString('latin1'), await ann.restic(['dump', first, '/'])];
    for (const each of all) assert.not.ok(each.includes(secret) || each.includes('PRIVATE KEY'));
  });

  // threat hostile-files: a script of the account hands out other settings than were saved
  test('forged and foreign settings are refused, and change nothing', async () => {
    const own = await ann.sealed(first);
    const before = await domains();
    const foreign = await bob.sealed(await bob.backup());
    for (const content of ['{"version":1,"parts":{"domains":[]}}', foreign, own.slice(0, -1), `${own}AAAA`]) {
      await ann.forge(first, content);
      const { state, error, detail } = await ann.restore(first);
      assert.equal([state, error], ['failed', 'settings_refused']);
      assert.match(detail ?? '', /sealed for another account or by another installation/);
    }
    assert.equal(await domains(), before);
    await ann.forge(first, own);
  });

  test('what was removed comes back and is served, and what was added later stays', async () => {
    await remove();
    await ann.person.rows(
      ['POST /api/domains/new', { domain_url: LATER }, 201],
      ['POST /api/redirects', { domain_url: LATER, path: '/added', target: '/later' }, 201],
    );
    assert.is(await status(NAME), 0);
    const task = await ann.restore(first);
    assert.equal(task, { ...task, state: 'done', path: 'settings', left_out: 0, detail: null });
    assert.equal(
      (await domains()).map(({ domain_url: name, aliases }) => [name, aliases]),
      [
        [LATER, []],
        [NAME, ['store.example']],
      ],
    );
    assert.equal([await status(NAME), await status('store.example'), await overTls()], [200, 200, 200]);
    assert.equal(
      [await status(NAME, '/old'), await status(NAME, '/private'), await status(LATER, '/added')],
      [302, 401, 302],
    );
    const { sites } = await ann.person.asks<{ sites: { domain_url: string; options: { timezone: string } }[] }>(
      'GET /api/php',
      200,
    );
    assert.is(sites.find(({ domain_url: name }) => name === NAME)?.options.timezone, 'Europe/Paris');
    assert.match((await ann.person.told('restored the settings'))[0] ?? '', /from the backup of 20[^,]*$/);
  });

  test('what is there gets what it had, and keeps what it got since', async () => {
    const { redirects } = await ann.person.asks<{ redirects: { redirect_id: number; domain_url: string }[] }>(
      'GET /api/redirects',
      200,
    );
    const old = redirects.find(({ domain_url: name }) => name === NAME)?.redirect_id;
    await ann.person.rows(
      [`DELETE /api/redirects/${old}`, 200],
      ['POST /api/redirects', { domain_url: NAME, path: '/old', target: '/other', status: 307 }, 201],
      ['POST /api/redirects', { domain_url: NAME, path: '/more', target: '/', status: 307 }, 201],
      ['POST /api/aliases', { domain_url: NAME, alias: 'more.example' }, 201],
      [`PUT /api/domains/${NAME}/docroot`, { docroot: 'elsewhere' }, 200],
      [`PUT /api/domains/${NAME}/suspended`, { suspended: true }, 200],
      [`PUT /api/php/sites/${NAME}/options`, { timezone: 'Asia/Tokyo' }, 200],
      [`PUT /api/site-access/${NAME}/users`, { path: '/more', name: 'eve', password: 'of the folder' }, 200],
    );
    assert.equal((await ann.restore(first)).detail, null);
    assert.equal([await status(NAME), await status('more.example'), await overTls()], [200, 200, 200]);
    const paths = ['/old', '/more', '/private', '/more/'];
    assert.equal(await Promise.all(paths.map((path) => status(NAME, path))), [302, 307, 401, 401]);
    assert.equal((await ann.restore(first)).left_out, 0, 'it can be repeated');
  });

  test('a domain that is taken by now is told, and keeps no other from coming back', async () => {
    const { accounts } = server.hostkeep.core;
    await asks('POST /api/domains/new', { domain_url: 'second.example' }, 201);
    const second = await ann.backup();
    await remove();
    await remove('second.example');
    await bob.person.asks('POST /api/domains/new', { domain_url: 'second.example' }, 201);
    await accounts.setFeature('anna', 'site_access', false);
    const { state, left_out: left, detail } = await ann.restore(second);
    assert.equal([state, left > 1], ['done', true]);
    assert.match(detail ?? '', /second\.example: second\.example cannot be added/);
    assert.match(detail ?? '', /what the plugin site-access keeps: the account has no feature of site_access/);
    assert.equal((await names()).includes('second.example'), false);
    assert.is(await status(NAME), 200);
    const [event] = await ann.person.told('restored the settings');
    assert.match(event ?? '', /, except \d+: /);
    await accounts.setFeature('anna', 'site_access', true);
  });

  test('a part of a plugin that is off, or of another form, is told', async () => {
    const { keys } = server.hostkeep.core;
    const context = `settings in backups of the account ${ann.person.account.id}`;
    const own = await ann.sealed(first);
    const settings = JSON.parse(keys.unseal(own, context)) as { parts: Record<string, unknown> };
    await remove();
    const parts = { ...settings.parts, fleetingly: { any: 1 }, redirects: 'no list' };
    await ann.forge(first, keys.seal(JSON.stringify({ ...settings, parts }), context));
    const { state, left_out: left, detail } = await ann.restore(first);
    assert.equal([state, left], ['done', 2]);
    assert.match(detail ?? '', /what the plugin fleetingly keeps, which is not installed or off/);
    assert.match(
      detail ?? '',
      /what the plugin redirects keeps, whose form has changed since: redirects must be object/,
    );
    assert.is(await overTls(), 200);
    await ann.forge(first, own);
  });

  // threat fail-open: a customer restores settings of a time before an administrator's suspension
  test('a suspension by an administrator is neither lifted nor put back', async () => {
    const root = await server.admin();
    const path = `/api/accounts/anna/domains/${NAME}/suspended` as const;
    await root.asks(`PUT ${path}`, { suspended: true }, 200);
    assert.is((await ann.restore(first)).left_out, 0);
    assert.is(await status(NAME), 503);
    const held = await ann.backup();
    await root.asks(`PUT ${path}`, { suspended: false }, 200);
    await remove();
    assert.is((await ann.restore(held)).left_out, 0);
    assert.is(await status(NAME), 200);
  });

  // threat half-made-changes: a restoration ends in the middle
  test('what is canceled between parts is closed to visitors until it is repeated', async () => {
    await remove();
    let reached = false;
    let go = () => {};
    slow.restores = () => {
      reached = true;
      return new Promise((resolve) => (go = resolve));
    };
    const { id } = await ann.person.asks<{ id: string }>(`POST /api/backups/${first}/settings/restore`, 202);
    await until('the part is put back', async () => reached);
    const canceled = ann.person.asks(`DELETE /api/backup-tasks/${id}`, 200);
    await until(
      'it is canceled',
      async () => (await ann.person.asks(`GET /api/backup-tasks/${id}`, 200))['state'] === 'canceled',
    );
    go();
    await canceled;
    assert.is(await status(NAME), 503, 'nobody sees a site without all of its settings');
    slow.restores = () => Promise.reject(new Error('a secret of the machine'));
    const { state, detail } = await ann.restore(first);
    assert.equal([state, detail], ['done', 'what the plugin probe keeps: an internal error']);
    assert.is(await status(NAME), 200);
    slow.restores = async () => {};
  });

  test('settings that cannot be saved are missing in a backup, which says why', async () => {
    slow.saves = () => Promise.reject(new Error('a secret of the machine'));
    const { state, left_out: left } = await ann.done('POST /api/backups');
    assert.equal([state, left], ['done', 1]);
    slow.saves = async () => undefined;
    const { backups } = await ann.person.asks<{ backups: { id: string }[] }>('GET /api/backups', 200);
    const id = backups[0]?.id ?? '';
    await asks(`GET /api/backups/${id}/settings`, 200, { saved: false, problem: 'an internal error' });
    await asks(`POST /api/backups/${id}/settings/restore`, '404 settings_not_found');
    assert.equal((await ann.person.told('without the settings')).length, 1);
    assert.equal((await ann.person.told('a backup without 1 databases')).length, 0);
  });

  test('an account that was suspended meanwhile gets nothing back', async () => {
    const { accounts } = server.hostkeep.core;
    let go = () => {};
    let reached = false;
    slow.restores = () => {
      reached = true;
      return new Promise((resolve) => (go = resolve));
    };
    await remove();
    const { id } = await ann.person.asks<{ id: string }>(`POST /api/backups/${first}/settings/restore`, 202);
    await until('the part is put back', async () => reached);
    await accounts.suspend('anna');
    go();
    await until('the task has ended', async () => {
      const sql = 'select state from backup_tasks where id = ?';
      return (await server.hostkeep.core.local.get<{ state: string }>(sql, id))?.state === 'failed';
    });
    slow.restores = async () => {};
    await accounts.unsuspend('anna');
    const again = await Customer.again(server, 'anna');
    assert.is((await again.ended(id)).error, 'account_not_open');
    assert.is((await again.restore(first)).left_out, 0);
    assert.is(await status(NAME), 200);
  });
}
