/** `hostkeep removed-account`, and what is left of one that was killed; databases of MariaDB come back. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { hostkeep, start as startCommand } from '../../../support/command.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import type { TestServer } from '../../../support/hostkeep.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import {
  backup,
  customer,
  hasRestic,
  Operator,
  read,
  repositories,
  settings,
  start,
  type Listed,
} from '../customer.ts';

await needs('backups', 'settings-backups', 'account-archives', 'accounts', 'databases', 'mysql');
const test = testSuite('commands for removed accounts');
let server: TestServer;
let operator: Operator;
let mariaDb: MariaDb;
let file = '';
let name = '';

const run = (...args: readonly string[]) =>
  hostkeep(server.data, ['--config', file, 'removed-account', ...args, '--json']);
const lastLine = (stdout: string) => JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;

if (hasRestic && hasMariaDb()) {
  test.before(async () => {
    mariaDb = await MariaDb.start(
      'create database ann_blog; create database ann_shop; create table ann_shop.t (id int primary key)',
    );
    const more = { databases: mariaDb.settings };
    server = await start({}, more);
    file = join(temporaryFolder(), 'settings.json');
    writeFileSync(file, JSON.stringify({ ...settings(), ...more }));
    operator = new Operator(await server.admin());
    const ann = await customer(server, 'ann');
    await mariaDb.sql('insert into ann_shop.t values (1), (2)');
    await backup(ann);
    name = `ann.${ann.account.id}`;
  });

  test('the command that removes an account says what stays', async () => {
    const removed = await hostkeep(server.data, ['--config', file, 'account', 'remove', 'ann', '--yes']);
    assert.match(removed.stdout, /its 1 backups stay for 7 days after its purge/);
    const purged = await hostkeep(server.data, ['--config', file, 'account', 'purge', 'ann', '--yes']);
    assert.is(purged.code, 0, purged.stdout + purged.stderr);
    assert.match(purged.stdout, /removed-accounts +backups, which stay for 7 days/);
    assert.is(await mariaDb.sql("show databases like 'ann%'"), '');
    const { stdout } = await run('list');
    const [listed] = JSON.parse(stdout) as Listed[];
    assert.equal([listed?.name, listed?.backups[0]?.databases], [name, 2]);
  });

  test('what is no removed account is refused', async () => {
    for (const args of [
      ['restore', 'ann'],
      ['restore', '../ann.1'],
      ['restore', name, '--backup', 'x'],
      ['remove', 'ann', '--yes'],
    ])
      assert.is((await run(...args)).code, 1, args.join(' '));
    const { stderr } = await run('restore', name, '--plan', 'fancy');
    assert.match(stderr, /no plan fancy/);
  });

  for (const step of ['files', 'settings'] as const)
    test(`a command that is killed at its step ${step} leaves nothing`, async () => {
      const before = await operator.list();
      const args = ['--config', file, 'removed-account', 'restore', name];
      const { child } = await startCommand(server.data, args, new RegExp(`^${step}$`, 'm'));
      child.kill('SIGKILL');
      await once(child, 'exit');
      await until('it is mended', async () => {
        const accounts = server.hostkeep.core.accounts;
        const isThere = (await accounts.byUsername('ann')) !== undefined || (await accounts.removed.list()).length > 0;
        return !isThere && (await operator.list())[0]?.is_restoring === false;
      });
      assert.equal(await operator.list(), before);
      assert.equal(repositories(server), [`removed-${name.slice(4)}`]);
      assert.is(await mariaDb.sql("show databases like 'ann%'"), '');
    });

  test('a command restores an account with its databases, under another name', async () => {
    const { code, stdout, stderr } = await run('restore', name, '--username', 'anna');
    assert.is(code, 0, stdout + stderr);
    const { username, plan, password, missing, next } = lastLine(stdout);
    assert.equal([username, plan, missing], ['anna', 'developer', []]);
    assert.equal(
      next,
      ['blog', 'shop'].map((each) => `have sites use the database anna_${each} in place of ann_${each}`),
    );
    assert.is(await mariaDb.sql('select count(*) from anna_shop.t'), '2\n');
    assert.is(read(server, 'anna', 'site/index.html'), 'the page of ann');
    const login = await server.ask('/api/login', { method: 'POST', body: { username: 'anna', password } });
    assert.is(login.status, 200);
    assert.equal(await operator.list(), []);
    const anna = await server.as(await server.hostkeep.core.accounts.get('anna'));
    const { backups } = await anna.asks<{ backups: { id: string }[] }>('GET /api/backups', 200);
    const { databases } = await anna.asks<{ databases: { name: string }[] }>(
      `GET /api/backups/${backups[0]?.id}/databases`,
      200,
    );
    assert.equal(
      databases.map((each) => each.name),
      ['anna_blog', 'anna_shop'],
      'its backups are about its own databases',
    );
  });

  test('a database that cannot come back is named, and a command removes backups', async () => {
    await operator.purge('anna');
    const [{ name: ofAnna = '' } = {}] = await operator.list();
    const { code: restored, stdout: told } = await run('restore', ofAnna, '--plan', 'basic');
    assert.is(restored, 1, told);
    assert.match(String(lastLine(told)['missing']), /the database anna_shop: /);
    await operator.purge('anna');
    const [{ name: again = '' } = {}] = await operator.list();
    const { code, stdout } = await run('remove', again, '--yes');
    assert.is(code, 0, stdout);
    assert.equal([await operator.list(), repositories(server)], [[], []]);
  });
}
