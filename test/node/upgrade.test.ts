/** Upgrades of the package: with a new migration, with a version that fails, and back by hand. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { testSuite } from '../support/suite.ts';
import { ADMIN, changedPackage, firstAdministrator, install, PACKAGE, storedNames } from './packages.ts';
import { Client } from './client.ts';
import { discardMachines, Machine } from './machine.ts';
import { assertNone } from '../support/lists.ts';

const DATA = '/var/lib/hostkeep';
const MIGRATIONS = 'kernel/store/migrations';

const test = testSuite('node: upgrades');
let machine: Machine;
let token: string;

const version = async () => (await machine.run('hostkeep --version')).trim();
/** Runs a command with the rights of the service's user. */
const asService = (command: string) =>
  machine.run(`setpriv --reuid=hostkeep --regid=hostkeep --init-groups sh -ec '${command}'`);
const migrations = () => storedNames(machine, 'migrations');

const withMigration = (program: string) =>
  writeFileSync(join(program, MIGRATIONS, '0090-probe.sql'), 'create table probe (id integer) strict;\n');

async function assertThere(added: readonly string[]): Promise<void> {
  assert.ok(added.length > 0, 'nothing was added meanwhile');
  const found = await storedNames(machine, 'plans');
  assertNone(added, (name) => !found.includes(name), 'answered with success, and lost');
}

test.before(async () => {
  machine = await Machine.boot();
  await install(machine, PACKAGE);
  token = await firstAdministrator(machine);
});
test.after(discardMachines);

test('an upgrade with a migration keeps every write', async () => {
  const deb = changedPackage('0.2.0', withMigration);
  const client = await Client.start(machine, token);
  await install(machine, deb);
  const { longestGapMs, added } = await client.stop();
  console.log(`downtime of the upgrade: ${Math.round(longestGapMs)} ms`);
  assert.is(await version(), '0.2.0');
  assert.ok((await migrations()).includes('0090-probe.sql'));
  await assertThere(added);
});

test('a failed upgrade restores the old version and store and loses no write', async () => {
  const deb = changedPackage('0.3.0', (program) => {
    writeFileSync(join(program, MIGRATIONS, '0090-probe.sql'), 'create table probe (id integer) strict;\n');
    writeFileSync(join(program, MIGRATIONS, '0091-good.sql'), 'create table good (id integer) strict;\n');
    writeFileSync(join(program, MIGRATIONS, '0092-bad.sql'), 'insert into missing values (1);\n');
  });
  const client = await Client.start(machine, token);
  const { code, output } = await machine.try(`hostkeep upgrade ${machine.take(deb)}`);
  const { longestGapMs, added } = await client.stop();
  console.log(`downtime of the failed upgrade: ${Math.round(longestGapMs)} ms`);
  assert.is(code, 1, 'apt took it for installed');
  assert.match(output, /0\.3\.0 did not get ready: 0\.2\.0 and its store come back/);
  assert.match(output, /the upgrade to 0\.3\.0 failed; 0\.2\.0 is in use\n$/);
  assert.is(await version(), '0.2.0');
  assert.not((await migrations()).includes('0091-good.sql'));
  await assertThere(added);
  assert.is(await machine.run('dpkg --audit'), '', 'dpkg would configure it again at any later installation');
});

test('a version that ends soon after it was ready is undone, and writes stay', async () => {
  const crash = `const ask = async () => {
      const isReady = await fetch('${ADMIN}/readyz').then(({ ok }) => ok, () => false);
      setTimeout(isReady ? () => process.exit(1) : ask, isReady ? 1500 : 50);
    };
    if (process.argv.includes('serve')) void ask();`;
  const deb = changedPackage('0.3.5', (program) => {
    withMigration(program); // which the store has already
    const main = join(program, 'dist/kernel/run/main.js');
    const text = readFileSync(main, 'utf8').replace(/^(#!.*\n)?/, (first) => `${first}${crash}\n`);
    writeFileSync(main, text);
  });
  const client = await Client.start(machine, token);
  const { code, output } = await machine.try(`hostkeep upgrade ${machine.take(deb)}`);
  const { added } = await client.stop();
  assert.is(code, 1);
  assert.match(output, /0\.3\.5 did not stay ready: 0\.2\.0 comes back, and keeps what has changed/);
  assert.is(await version(), '0.2.0');
  assert.is(await machine.run('dpkg --audit'), '');
  await assertThere(added);
});

test('to install the version in use again changes nothing', async () => {
  const deb = machine.take(changedPackage('0.2.0', withMigration));
  const run = () => machine.run('systemctl show -P InvocationID hostkeep');
  await machine.run(`apt-get install -y --allow-downgrades ${deb}`);
  assert.is((await machine.run('readlink /usr/lib/hostkeep/previous')).trim(), 'versions/0.1.0');
  const before = await run();
  await machine.run('dpkg-reconfigure hostkeep');
  assert.is(await run(), before);
});

test('a version that does not accept the configuration never stops the one in use', async () => {
  const deb = changedPackage('0.4.0', () => undefined);
  const run = () => machine.run('systemctl show -P InvocationID hostkeep');
  const before = await run();
  appendFileSync(join(machine.root, 'etc/hostkeep/hostkeep.json'), 'no JSON');
  const { code, output } = await machine.try(`hostkeep upgrade ${machine.take(deb)}`);
  writeFileSync(join(machine.root, 'etc/hostkeep/hostkeep.json'), '{}\n');
  assert.is(code, 1, output);
  assert.is(await machine.run('dpkg --audit'), '');
  assert.match(output, /0\.4\.0 does not accept the configuration, so 0\.2\.0 stays in use/);
  assert.is(await run(), before);
  assert.is(await version(), '0.2.0');
});

test('one command goes back to the version before, and says what is lost', async () => {
  const refused = await machine.try('hostkeep rollback');
  assert.is(refused.code, 2);
  assert.match(refused.output, /0\.2\.0 has changed the store/);
  assert.is(await version(), '0.2.0');
  const refusal = JSON.parse((await machine.try('hostkeep rollback --json')).output) as { error: string };
  assert.is(refusal.error, 'confirmation_required');
  await asService(`cd ${DATA} && echo planted >before-upgrade/planted && ln -s /root/.profile planted`);
  await asService(`ln -s /root/.profile ${DATA}/before-rollback`);
  assert.equal(JSON.parse(await machine.run('hostkeep rollback --yes --json')), {
    version: '0.1.0',
    previous: null,
  });
  const again = await machine.try('hostkeep rollback --yes');
  assert.equal([again.code, again.output], [1, 'hostkeep: there is no version before 0.1.0\n'], 'back to the bad one');
  assert.not.match(await machine.run('cat /root/.profile'), /planted/, 'root wrote through a link of the service');
  assert.is(await version(), '0.1.0');
  assert.is((await machine.ask(`${ADMIN}/readyz`)).status, 200);
  assert.not((await migrations()).includes('0090-probe.sql'));
  await machine.run(`test -f ${DATA}/before-rollback/hostkeep.db`);
});

test('upgrade takes a newer package of Hostkeep only, and puts it to use', async () => {
  const refused = async (argument: string, reason: RegExp, code = 1) => {
    const ended = await machine.try(`hostkeep upgrade ${argument}`);
    assert.match(ended.output, reason);
    assert.is(ended.code, code);
  };
  await refused('', /name one package/, 2);
  await refused('/etc/passwd', /is no package of Hostkeep/);
  await refused(machine.take(PACKAGE), /0\.1\.0 is not newer than 0\.1\.0/);
  assert.match(await machine.run('hostkeep upgrade --help'), /^Usage: hostkeep upgrade \[options\] <package>/);
  const deb = machine.take(changedPackage('0.5.0', () => undefined));
  assert.match(
    await machine.run(`hostkeep upgrade ${deb}`),
    /0\.5\.0 is in use; `hostkeep rollback` goes to 0\.1\.0\n$/,
  );
  assert.is(await version(), '0.5.0');
  assert.is((await machine.ask(`${ADMIN}/readyz`)).status, 200);
});
