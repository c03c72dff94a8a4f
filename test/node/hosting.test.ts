/** @slow What customers get on a booted node: sites that the nginx of the system serves, through the broker. */
import * as assert from 'uvu/assert';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { ADMIN, firstAdministrator, install, PACKAGE, USER } from './packages.ts';
import { discardMachines, Machine } from './machine.ts';

const SETTINGS = {
  broker: { socket: '/run/hostkeep/broker.sock' },
  webserver: { driver: 'nginx' },
  // No engine is installed, and what it may hold of an account cannot be purged.
  plugins: { containers: false },
};
const PASSWORD = 'correct horse battery';

const test = testSuite('node: hosting');
let machine: Machine;
let token: string;
let admin: string;

const site = () => machine.try(`curl -s -w '\\n%{http_code}' -H 'Host: shop.example' http://127.0.0.1/`);

test.before(async () => {
  machine = await Machine.boot();
  await install(machine, PACKAGE);
  writeFileSync(join(machine.root, 'etc/hostkeep/hostkeep.json'), JSON.stringify(SETTINGS));
  await machine.run('echo "include /etc/nginx/hostkeep.d/*.conf;" >/etc/nginx/conf.d/hostkeep.conf');
  await machine.run('systemctl start nginx && systemctl restart hostkeep');
  await until('it serves', 20_000, async () => (await machine.ask(`${ADMIN}/readyz`)).status === 200);
  admin = await firstAdministrator(machine);
  for (const name of ['ann', 'bob'])
    await machine.run(`hostkeep account add ${name} --plan basic --password-stdin`, PASSWORD);
  token = await machine.login(USER, 'ann', PASSWORD);
});
test.after(discardMachines);

test("the system's nginx serves a domain that was added, from a folder that belongs to the account", async () => {
  const { status, text } = await machine.ask(`${USER}/api/domains/new`, {
    token,
    body: { domain_url: 'shop.example' },
  });
  assert.is(status, 201, text);
  const folder = '/srv/hostkeep/ann/shop.example';
  const id = (await machine.run(`stat -c %u ${folder}`)).trim();
  assert.ok(Number(id) >= 200_000, `it belongs to ${id}`);
  await machine.run(
    `printf hello >${folder}/index.html && chown ${id} ${folder}/index.html && chmod 0644 ${folder}/index.html`,
  );
  await until('nginx serves the page', 10_000, async () => (await site()).output === 'hello\n200');
});

test('another account, and the service itself, cannot read the files', async () => {
  const bob = (await machine.run('stat -c %u /srv/hostkeep/bob 2>/dev/null || echo 200099')).trim();
  for (const user of [bob, 'hostkeep']) {
    const { code } = await machine.try(
      `setpriv --reuid=${user} --regid=nogroup --clear-groups cat /srv/hostkeep/ann/shop.example/index.html`,
    );
    assert.is.not(code, 0, `${user} read it`);
  }
});

test('a suspended account has a page in the place of its sites, until it is opened again', async () => {
  await machine.run('hostkeep account suspend ann');
  await until('the page is there', 10_000, async () => (await site()).output.endsWith('\n503'));
  await machine.run('hostkeep account unsuspend ann');
  await until('the site is back', 10_000, async () => (await site()).output === 'hello\n200');
});

test('after a reboot the site is served', async () => {
  await machine.run('systemctl enable nginx');
  await machine.reboot();
  await until('the site is back', 20_000, async () => (await site()).output === 'hello\n200');
  await until('Hostkeep is back', 20_000, async () => (await machine.ask(`${ADMIN}/readyz`)).status === 200);
  assert.is((await machine.ask(`${ADMIN}/api/accounts`, { token: admin })).status, 200);
});

test('a purge of the account removes its site and its files', async () => {
  await machine.run('hostkeep account remove ann && hostkeep account purge ann');
  await until('the site is gone', 10_000, async () => !(await site()).output.startsWith('hello'));
  assert.is(await machine.run('find /srv/hostkeep -name index.html'), '');
});
