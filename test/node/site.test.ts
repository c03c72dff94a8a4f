/** From a bare Debian 13 to a served site, with the web server of the system. */
import * as assert from '../support/assert.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { discardMachines, Machine } from './machine.ts';
import { ADMIN, install, PACKAGE } from './packages.ts';

const SETTINGS = {
  broker: { socket: '/run/hostkeep/broker.sock' },
  webserver: { driver: 'auto', log_folder: '/var/log/hostkeep', template: '/etc/hostkeep/vhost.conf' },
};

const CADDYFILE = '{\n\timport /etc/caddy/hostkeep.d/*.options\n}\nimport /etc/caddy/hostkeep.d/*.conf\n';

const test = testSuite('node: site');
let machine: Machine;

interface AddedDomain {
  readonly folder: string;
  readonly uid: number;
}

const page = (name: string, flags: string) => machine.try(`curl -s -m 5 -w '%{http_code}' ${flags} http://${name}`);
const found = async (name: string, plugin = 'webserver') => {
  const findings = JSON.parse((await machine.try('hostkeep doctor --json')).output) as Record<string, string>[];
  return findings.filter((each) => each['plugin'] === plugin && each['name'] === name)[0];
};

test.before(async () => {
  machine = await Machine.boot();
});
test.after(discardMachines);

test('six commands lead from a bare Debian to a served site', async () => {
  await install(machine, PACKAGE);
  await machine.run('hostkeep account add --admin root');
  await machine.run('hostkeep account add ann --plan basic');
  const added = await machine.run('hostkeep domain add ann shop.example --json');
  const { folder, uid } = JSON.parse(added) as AddedDomain;
  assert.is(folder, '/srv/hostkeep/ann/shop.example');
  await machine.run(`echo hello | install -o ${uid} -g ${uid} /dev/stdin ${folder}/index.html`);
  assert.is((await page('shop.example', '--connect-to ::127.0.0.1:80')).output, 'hello\n200');
  assert.equal([(await found('site'))?.['state'], (await found('reload'))?.['state']], ['ok', 'ok']);
});

// threat served-links: Caddy, too, sees only what is the account's
test('where only Caddy is installed, two lines let it serve and log the sites', async () => {
  await machine.run('systemctl stop nginx && apt-get remove -y nginx && echo 127.0.0.1 localhost >>/etc/hosts');
  await machine.run('systemctl enable --now caddy && systemctl restart hostkeep-broker hostkeep');
  await until('it serves', async () => (await machine.ask(`${ADMIN}/readyz`)).status === 200);
  assert.match(
    (await found('reload'))?.['remedy'] ?? '',
    /put the line "import \/etc\/caddy\/hostkeep\.d\/\*\.conf" into its/,
  );
  // Without a network there are no certificates.
  const plain = "sed 's|^{{domain}}|http://{{domain}}|' $(find /usr/lib/hostkeep/current/ -name caddy-vhost.conf)";
  await machine.run(`${plain} >/etc/hostkeep/vhost.conf`);
  await machine.run('cat >/etc/hostkeep/hostkeep.json', JSON.stringify(SETTINGS));
  await machine.run('cat >/etc/caddy/Caddyfile', CADDYFILE);
  await machine.run('systemctl reload caddy');
  await machine.run('systemctl restart hostkeep-broker hostkeep');
  await until('it serves', async () => (await machine.ask(`${ADMIN}/readyz`)).status === 200);
  const { folder, uid } = JSON.parse(
    await machine.run('hostkeep domain add ann blog.shop.example --json'),
  ) as AddedDomain;
  await machine.run(`echo from caddy | install -o ${uid} -g ${uid} /dev/stdin ${folder}/index.html`);
  await machine.run(`ln -s index.html ${folder}/link.html`);
  const flags = '--connect-to ::127.0.0.1:80';
  for (const [name, text] of [
    ['blog.shop.example', 'from caddy'],
    ['shop.example', 'hello'],
  ] as const)
    assert.is((await page(name, flags)).output, `${text}\n200`, name);
  assert.is.not((await page('blog.shop.example/link.html', flags)).output.slice(-3), '200');
  const reload = await found('reload');
  assert.is(reload?.['state'], 'ok', JSON.stringify(reload));
  const logs = await found('logs', 'logs');
  assert.is(logs?.['detail'], '/var/log/hostkeep/caddy/access.log is read', JSON.stringify(logs));
  assert.match(await machine.run('ls -ln /var/log/hostkeep/caddy'), /^-rw-r--r-- 1 (?!0 )/m);
});
