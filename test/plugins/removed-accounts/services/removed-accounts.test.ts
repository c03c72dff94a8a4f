/** Removed accounts come back from their backups, for some days. */
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SettingsBackups } from '../../../../kernel/areas/backups/account-backups.ts';
import { errorMessage } from '../../../../kernel/errors.ts';
import type { Tx } from '../../../../kernel/store/store.ts';
import type { Account } from '../../../../kernel/identity/accounts/account.ts';
import * as assert from '../../../support/assert.ts';
import { type TestServer, type Person } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import {
  backup,
  customer,
  hasRestic,
  Operator,
  PASSWORD,
  PATH,
  read,
  repositories,
  start,
  write,
} from '../customer.ts';

await needs('backups', 'settings-backups', 'account-archives', 'accounts', 'domains', 'redirects', 'plans');
const test = testSuite('removed accounts');
let server: TestServer;
let operator: Operator;
let [ann, bob] = [] as unknown as [Person, Person];
let [annName, older] = ['', ''];
const GONE = { ms: 7 * 24 * 3_600_000 };

const row = (id: number) =>
  server.hostkeep.core.local.get<{ sealed: string }>('select sealed from removed_account_backups where id = ?', id);
const names = async () => (await operator.list()).map(({ name }) => name);
const accounts = () => server.hostkeep.core.accounts;

if (hasRestic) {
  test.before(async () => {
    server = await start();
    operator = new Operator(await server.admin());
    [ann, bob] = [await customer(server, 'ann'), await customer(server, 'bob')];
    await ann.rows(
      ['POST /api/domains/new', { domain_url: 'shop.example', docroot: 'site' }, 201],
      ['POST /api/domains/new', { domain_url: 'bad.example', docroot: 'bad' }, 201],
      ['POST /api/redirects', { domain_url: 'shop.example', path: '/old', target: '/new' }, 201],
    );
    await operator.person.asks('PUT /api/accounts/ann/domains/bad.example/suspended', { suspended: true }, 200);
    await accounts().update('ann', { email: 'ann@example.com', locale: 'de' });
    await accounts().setFeature('ann', 'favorites', false);
    older = await backup(ann);
    write(ann, 'site/index.html', 'a newer page');
    await backup(ann);
    annName = `ann.${ann.account.id}`;
  });

  test('what stays is told where an account is removed, and listed once that is purged', async () => {
    const removed = await operator.person.asks('DELETE /api/accounts/ann', 200, {
      kept: ['its 2 backups stay for 7 days after its purge: hostkeep removed-account list'],
    });
    assert.is('purge' in removed, false);
    const unpurged = (await operator.list()).map(({ name, gone_at: at }) => [name, at]);
    assert.equal(unpurged, [[annName, null]]);
    const { purge } = await operator.purge('ann');
    const parts = (purge as { parts: { plugin: string; what: string }[] }).parts;
    assert.equal(
      parts.flatMap(({ plugin, what }) => (plugin === 'removed-accounts' ? [what] : [])),
      ['backups, which stay for 7 days'],
    );
    const [listed] = await operator.list();
    assert.equal([listed?.name, listed?.username, listed?.plan], [annName, 'ann', 'developer']);
    assert.equal([listed?.backups.length, listed?.backups[1]?.id], [2, older]);
    assert.ok((listed?.size_bytes ?? 0) > 1000);
    const stays = Date.parse(listed?.gone_at ?? '') - Date.now();
    assert.ok(stays > GONE.ms - 60_000 && stays <= GONE.ms, 'for seven days from its purge');
    assert.equal(
      repositories(server),
      [String(bob.account.id), `removed-${ann.account.id}`].filter((each) =>
        existsSync(join(server.data, 'backups', each)),
      ),
    );
    assert.equal(await accounts().removed.list(), [], 'its name is free');
  });

  // threat leaked-secrets: what opens the repository of a removed account
  test('the key of a kept repository and what the account was are sealed', async () => {
    const { sealed } = (await row(ann.account.id)) ?? { sealed: '' };
    const { keys } = server.hostkeep.core;
    const text = keys.unseal(sealed, `backups of the removed account ${ann.account.id}`);
    assert.match(text, /"key":"/);
    assert.not.match(sealed, /ann@example|"key"/);
    assert.throws(() => keys.unseal(sealed, `backups of the removed account ${bob.account.id}`));
    assert.not.match(JSON.stringify(await operator.list()), /"key"|sealed/);
  });

  test('only administrators see removed accounts, and what cannot come back is refused', async () => {
    const restore = `POST ${PATH}/${annName}/restore` as const;
    await server.with(undefined, 'admin').asks(restore, { password: PASSWORD }, '401 authentication_required');
    assert.match(String(await bob.tries(`GET ${PATH}`)), /^40[34]/);
    assert.match(String(await bob.tries(restore, { password: PASSWORD })), /^40[34]/);
    await operator.person.rows(
      [`POST ${PATH}/ann.999/restore`, { password: PASSWORD }, '404 removed_account_not_found'],
      [`POST ${PATH}/bob.${bob.account.id}/restore`, { password: PASSWORD }, '404 removed_account_not_found'],
      [`POST ${PATH}/bob.${ann.account.id}/restore`, { password: PASSWORD }, '404 removed_account_not_found'],
      [restore, { password: PASSWORD, backup: 'none' }, '404 backup_not_found'],
      [restore, { password: PASSWORD, plan: 'fancy' }, '404 plan_not_found'],
      [restore, { password: PASSWORD, username: 'bob' }, '409 account_exists'],
      [restore, { password: 'short' }, '400 invalid_request /password'],
      [`GET ${PATH}/${annName}/tasks/none`, '404 task_not_found'],
      [`DELETE ${PATH}/ann.999`, '404 removed_account_not_found'],
    );
    const bad = await operator.restore(annName, { username: '../ann' });
    assert.equal([bad.state, bad.error], ['failed', 'invalid_request']);
    assert.equal(await names(), [annName]);
  });

  test('settings of an account that is there are given to nobody', async () => {
    const settings = server.hostkeep.plugins.service('settings-backups') as SettingsBackups;
    const content = Object.assign((async function* () {})(), { sizeBytes: 0 });
    const run = { by: 'root', signal: new AbortController().signal };
    const refusal = (account: Account, was: Account) =>
      settings.bringBack(account, was, content, run).then(() => 'none', errorMessage);
    assert.match(await refusal(ann.account, bob.account), /their account is there/);
    assert.match(await refusal(bob.account, ann.account), /sealed for another account/);
  });

  test('a restoration that fails leaves no account, and the backups as they were', async () => {
    const [before, there] = [await operator.list(), repositories(server)];
    const files = join(server.data, 'files', 'ann');
    rmSync(files, { recursive: true, force: true });
    writeFileSync(files, 'somebody else’s');
    const failed = await operator.restore(annName);
    assert.is(failed.state, 'failed');
    rmSync(files, { force: true });
    const config = join(server.data, 'backups', `removed-${ann.account.id}`, 'config');
    renameSync(config, `${config}.away`);
    const damaged = await operator.restore(annName);
    assert.equal([damaged.state, damaged.error], ['failed', 'backups_unavailable']);
    renameSync(`${config}.away`, config);
    assert.is(await accounts().byUsername('ann'), undefined);
    assert.equal(await accounts().removed.list(), []);
    assert.equal(await operator.list(), before);
    assert.equal(repositories(server), there);
    assert.not.ok(existsSync(files));
  });

  test('an account comes back with files, settings and backups, which are its own then', async () => {
    const { state, detail, files, left_out: leftOut } = await operator.restore(annName);
    assert.equal([state, leftOut, detail], ['done', 0, null]);
    assert.ok(files > 0);
    const account = await accounts().get('ann');
    assert.ok(account.id > bob.account.id, 'an id is given once');
    assert.equal([account.email, account.locale, account.plan?.name], ['ann@example.com', 'de', 'developer']);
    assert.equal(account.overrides, { favorites: false });
    assert.is(read(server, 'ann', 'site/index.html'), 'a newer page');
    await server.with().asks('POST /api/login', { username: 'ann', password: PASSWORD }, 200);
    const again = await server.as(account);
    const { domains } = await again.asks<{ domains: { domain_url: string }[] }>('GET /api/domains', 200);
    assert.equal(domains.map((each) => each.domain_url).toSorted(), ['bad.example', 'shop.example']);
    const sql = 'select name from domains where held_at is not null';
    const held = await server.hostkeep.core.store.all<{ name: string }>(sql);
    assert.equal(held, [{ name: 'bad.example' }], 'what an administrator had suspended');
    const { backups } = await again.asks<{ backups: { id: string }[] }>('GET /api/backups', 200);
    assert.equal([backups.length, backups[1]?.id], [2, older]);
    assert.equal(await operator.list(), []);
    assert.not.ok(existsSync(join(server.data, 'backups', `removed-${ann.account.id}`)));
    await again.asks(`GET /api/backups/${older}/content?path=site/index.html`, 200);
    assert.match((await again.told('came back'))[0] ?? '', /User 'ann' came back from the backup of /);
    await backup(again);
  });

  test('another name, plan and backup can be chosen', async () => {
    await operator.purge('ann');
    const [{ name = '' } = {}] = await operator.list();
    await operator.person.asks('POST /api/accounts', { username: 'ann', password: PASSWORD, plan: 'developer' }, 201);
    const taken = { username: 'ann' };
    await operator.person.asks(`POST ${PATH}/${name}/restore`, { password: PASSWORD, ...taken }, '409 account_exists');
    const { state } = await operator.restore(name, { username: 'anna', backup: older, plan: 'developer' });
    assert.is(state, 'done');
    assert.is(read(server, 'anna', 'site/index.html'), 'the page of ann');
  });

  test('one that is not purged comes back under another name', async () => {
    const cleo = await customer(server, 'cleo');
    await cleo.asks('POST /api/domains/new', { domain_url: 'cleo.example', docroot: 'site' }, 201);
    await backup(cleo);
    await operator.person.asks('DELETE /api/accounts/cleo', 200);
    const name = `cleo.${cleo.account.id}`;
    const own = { password: PASSWORD };
    await operator.person.asks(`POST ${PATH}/${name}/restore`, own, '409 name_reserved');

    const { leases } = server.hostkeep.node;
    const lease = await leases.acquire(`removed account ${cleo.account.id}`, 60_000);
    const restoring = (is: number) => (tx: Tx) =>
      tx.run('update removed_account_backups set is_restoring = ? where id = ?', is, cleo.account.id);
    const { local } = server.hostkeep.core;
    await local.write(restoring(1));
    const { purge } = await operator.person.asks('DELETE /api/accounts/cleo?purge=true', 200);
    const { state, parts } = purge as { state: string; parts: { plugin: string; problem: string | null }[] };
    assert.is(state, 'incomplete');
    assert.match(parts.find(({ plugin }) => plugin === 'backups')?.problem ?? '', /it is being restored or removed/);
    await local.write(restoring(0));
    await lease?.release();

    const back = await operator.restore(name, { username: 'cleopatra' });
    assert.equal([back.state, back.left_out, back.detail], ['done', 0, null]);
    assert.equal([await names(), read(server, 'cleopatra', 'site/index.html')], [[], 'the page of cleo']);
    assert.not.ok(existsSync(join(server.data, 'backups', String(cleo.account.id))), 'the backups are the new one’s');
    await operator.purge('cleo');
    const again = await server.as(await accounts().get('cleopatra'));
    const { domains } = await again.asks<{ domains: { domain_url: string }[] }>('GET /api/domains', 200);
    assert.equal([domains.length, domains[0]?.domain_url], [1, 'cleo.example']);
    const { backups } = await again.asks<{ backups: { id: string }[] }>('GET /api/backups', 200);
    await again.asks(`GET /api/backups/${backups[0]?.id}/content?path=site/index.html`, 200);
    await operator.purge('cleopatra');
    await operator.person.asks(`DELETE ${PATH}/cleopatra.${again.account.id}`, 200);
  });

  test('backups go for good on request, and once their time has come', async () => {
    const [{ name: first = '' } = {}] = [...(await operator.list()), { name: '' }];
    assert.is(first, '', 'none is left from before');
    await operator.purge('anna');
    await backup(bob);
    await operator.purge('bob');
    const [{ name: ofBob = '' } = {}, { name: ofAnna = '' } = {}] = await operator.list();
    await operator.person.asks(
      `DELETE ${PATH}/${ofBob}`,
      200,
      { name: ofBob, removed: true },
      { events: ['account.backups_removed'] },
    );
    assert.equal(await names(), [ofAnna]);
    assert.not.ok(existsSync(join(server.data, 'backups', `removed-${bob.account.id}`)));
    const { local } = server.hostkeep.core;
    await local.write((tx) => tx.run('update removed_account_backups set purged_at = purged_at - ?', GONE.ms));
    await until('its time has come', async () => (await names()).length === 0);
    assert.equal(repositories(server), []);
  });

  test('with no days, nothing stays after a purge', async () => {
    const none = await start({ days: 0 });
    const root = new Operator(await none.admin());
    await backup(await customer(none, 'ann'));
    const { kept } = await root.purge('ann');
    assert.equal(kept, []);
    assert.equal([await root.list(), repositories(none)], [[], []]);
  });
}
