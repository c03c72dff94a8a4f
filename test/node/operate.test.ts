/** @slow What an operator of a node lives through: servers that are killed, and a node that is lost. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { ADMIN, firstAdministrator, install, PACKAGE, storedNames } from './packages.ts';
import { Client } from './client.ts';
import { discardMachines, Machine } from './machine.ts';

const KILLS = 3;
const BACKUPS = 'var/lib/hostkeep/backups';

const test = testSuite('node: operation');
let machine: Machine;
let token: string;

const mainPid = async () => (await machine.run('systemctl show -p MainPID --value hostkeep')).trim();
const isReady = async (on: Machine) => (await on.ask(`${ADMIN}/readyz`)).status === 200;

test.before(async () => {
  machine = await Machine.boot();
  await install(machine, PACKAGE);
  token = await firstAdministrator(machine);
});
test.after(discardMachines);

test('no write that was answered is lost when the service is killed again and again', async () => {
  const client = await Client.start(machine, token);
  for (let n = 0; n < KILLS; n++) {
    const pid = await mainPid();
    await machine.run(`kill -9 ${pid}`);
    await until('systemd has started it again', 20_000, async () => (await mainPid()) !== pid && isReady(machine));
  }
  const { added } = await client.stop();
  assert.ok(added.length > 0);
  const found = await storedNames(machine, 'plans');
  assert.equal(
    added.filter((name) => !found.includes(name)),
    [],
  );
});

test('a backup comes back on another node, with its tokens', async () => {
  await machine.run('systemctl start hostkeep-backup.service');
  const [backup = ''] = readdirSync(join(machine.root, BACKUPS));
  const other = await Machine.boot();
  await install(other, PACKAGE);
  const file = other.take(join(machine.root, BACKUPS, backup));
  await other.run(`install -o hostkeep -m 0600 ${file} /var/lib/hostkeep/backup.tar && systemctl stop hostkeep`);
  await other.run('hostkeep restore --force /var/lib/hostkeep/backup.tar && systemctl start hostkeep');
  await until('the other node serves', 20_000, () => isReady(other));
  assert.is((await other.ask(`${ADMIN}/api/accounts`, { token })).status, 200, 'a token of the lost node');
  assert.equal(await storedNames(other, 'plans'), await storedNames(machine, 'plans'));
});
