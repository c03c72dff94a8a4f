/** From a bare Debian 13 to a served site, with the web server of the system. */
import { chownSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import * as assert from '../support/assert.ts';
import { armed, hasCompiler } from '../support/native-code.ts';
import { testSuite } from '../support/suite.ts';
import { eventually, until } from '../support/until.ts';
import { discardMachines, Machine } from './machine.ts';
import { ADMIN, PACKAGE, USER } from './packages.ts';

const SETTINGS = {
  broker: { socket: '/run/hostkeep/broker.sock' },
  webserver: { driver: 'auto', log_folder: '/var/log/hostkeep', template: '/etc/hostkeep/vhost.conf' },
};

/** By which ProFTPD lets in fewer. */
const LIMITED = { broker: SETTINGS.broker, sftp: { clients: 150 } };

const CADDYFILE = '{\n\timport /etc/caddy/hostkeep.d/*.options\n}\nimport /etc/caddy/hostkeep.d/*.conf\n';

const test = testSuite('node: site');
let machine: Machine;

interface AddedDomain {
  readonly folder: string;
  readonly uid: number;
}

interface Secret {
  readonly password: string;
}

const page = (name: string, flags: string, scheme = 'http') =>
  machine.try(`curl -sk -m 20 -w '%{http_code}' ${flags} ${scheme}://${name}`);
const found = async (name: string, plugin = 'webserver') => {
  const findings = JSON.parse((await machine.try('hostkeep doctor --json')).output) as Record<string, string>[];
  return findings.filter((each) => each['plugin'] === plugin && each['name'] === name)[0];
};

test.before(async () => {
  machine = await Machine.boot();
});
test.after(discardMachines);

test('six commands of README lead from a bare Debian to a page of PHP over HTTPS', async () => {
  const readme = readFileSync(join(projectDir, 'README.md'), 'utf8');
  const lines = /^(apt install [^]*?)^```/m.exec(readme)?.[1]?.trim().split('\n') ?? [];
  const [install = '', withoutPool = '', ...others] = lines.map((line) => line.replace(/ +#.*/, ''));
  assert.is(others.length, 4);
  await machine.run(install.replace('apt', 'apt-get -y').replace(/\S+\.deb/, machine.take(PACKAGE)));
  await until('it serves', async () => (await machine.ask(`${ADMIN}/readyz`)).status === 200);
  const told = await found('foreign pool', 'php');
  assert.ok(told?.['remedy']?.startsWith(`${withoutPool},`), JSON.stringify(told));
  await machine.run('cat >index.php', '<?php echo "PHP as ", posix_geteuid(), "\n";');
  let uid = '';
  for (const command of [withoutPool, ...others]) {
    const output = await machine.run(command.replace('<user id>', uid));
    [, uid = uid] = /to the user id (\d+)/.exec(output) ?? [];
  }
  assert.match(uid, /^2\d{5}$/);
  for (const scheme of ['https', 'http'])
    assert.is((await page('shop.example', '--connect-to ::127.0.0.1:', scheme)).output, `PHP as ${uid}\n200`);
  const file = '/srv/hostkeep/ann/shop.example/index.htm';
  await machine.run(`echo hello | install -o ${uid} -g ${uid} /dev/stdin ${file}`);
  assert.is((await page('shop.example/index.htm', '--connect-to ::127.0.0.1:80')).output, 'hello\n200');
  assert.equal([(await found('site', 'domains'))?.['state'], (await found('reload'))?.['state']], ['ok', 'ok']);
  await machine.run(`rm ${file}`);
  assert.is(await found('foreign pool', 'php'), undefined);
});

// threat other-accounts: in the package, too, native code of an account sees and reaches nothing of others
test('what a customer of the package runs by PHP is alone', async () => {
  if (!hasCompiler()) return;
  assert.is((await found('php 8.4', 'php'))?.['state'], 'ok');
  const folder = '/srv/hostkeep/ann/shop.example';
  const { uid, gid } = statSync(join(machine.root, folder));
  const does = armed({
    put: (file, content) => {
      const path = join(machine.root, folder, file);
      writeFileSync(path, content);
      chownSync(path, uid, gid);
    },
    get: async (path) => (await page(`shop.example${path}`, '--connect-to ::127.0.0.1:')).output,
  });
  const key = /^(0x\S+)/m.exec(await machine.run('ipcmk --queue --mode 0666 >/dev/null && ipcs --queues'))?.[1];
  const closed = [
    ...['hostkeep/broker.sock', 'hostkeep/php', 'dbus/system_bus_socket', 'systemd/journal/stdout'].map(
      (path) => `connect /run/${path}`,
    ),
    ...[
      '/srv/hostkeep',
      '/var/lib/hostkeep',
      '/var/lib/hostkeep-broker',
      '/var/log/hostkeep',
      '/sys/fs/cgroup/systemd',
    ].map((path) => `list ${path}`),
    ...['/srv/hostkeep', '/run', '/run/hostkeep', '/var/log/hostkeep', '/etc/nginx/hostkeep.d'].map(
      (path) => `make ${path}/new`,
    ),
    ...['/etc/shadow', '/proc/1/environ'].flatMap((path) => [`read ${path}`, `root ${path}`]),
    ...['listen 2083', 'listen 2087', `queue ${key}`, 'key of-ann', 'write /proc/sys/kernel/core_pattern'],
    'take rights of root',
  ];
  const left = ['/dev/shm', '/tmp', '/var/tmp', '/run/lock'].map((path) => `leave ${path}/of-ann`);
  const told = await does([...closed, ...left, 'ask 2087 /api/accounts', 'ids', 'others', 'descriptors']);
  assert.equal(
    told.filter((line) => / (open|closed)$/.test(line)),
    [...closed.map((task) => `${task}: closed`), ...left.map((task) => `${task}: open`)],
  );
  assert.equal(
    told.filter((line) => /^(ask|ids|others)/.test(line)),
    [
      'ask 2087 /api/accounts: HTTP/1.1 401 Unauthorized',
      `ids: ${Array(7).fill(uid).join(' ')}, gains none, core 0`,
      'others: 1',
    ],
  );
  for (const line of told.filter((each) => each.startsWith('descriptor'))) assert.match(line, /: socket:/);
  assert.is(await machine.run('find / -xdev -name of-ann; find /dev/shm /tmp /run -name of-ann'), '');
});

test('customers store files by SFTP, and restore them from a backup', async () => {
  const { password } = JSON.parse(await machine.run('hostkeep account add bea --plan developer --json')) as Secret;
  await machine.run('echo "127.0.0.1 localhost $(hostname)" >>/etc/hosts && systemctl restart proftpd');
  const proftpd = async () => (await machine.run('systemctl show --value -p MainPID proftpd')).trim();
  const first = await proftpd();
  // what ProFTPD is told anew, it must survive: with settings, and with those that were before
  await machine.run(
    'cp /etc/hostkeep/hostkeep.json /root/ && cat >/etc/hostkeep/hostkeep.json',
    JSON.stringify(LIMITED),
  );
  await machine.run('systemctl restart hostkeep-broker hostkeep');
  await until('it is told other settings', async () => !['0', first].includes(await proftpd()));
  await machine.run(
    'cat /root/hostkeep.json >/etc/hostkeep/hostkeep.json && systemctl restart hostkeep-broker hostkeep',
  );
  await until('it serves', async () => (await machine.ask(`${USER}/readyz`)).status === 200);
  await until('ProFTPD answers', async () => (await found('ProFTPD', 'sftp'))?.['state'] === 'ok');

  const token = await machine.login(USER, 'bea', password);
  const ask = async <T>(path: string, method = 'GET', body?: unknown): Promise<T> => {
    const { status, text } = await machine.ask(`${USER}/api/${path}`, { token, method, body });
    assert.ok(status < 300, `${path} was answered with ${status} ${text}`);
    return JSON.parse(text) as T;
  };
  const ended = (task: { readonly id: string }) =>
    eventually(
      'the task has ended',
      () => ask<{ readonly state: string }>(`backup-tasks/${task.id}`),
      ({ state }) => state !== 'running',
    );
  const login = await ask<Secret & { readonly login: { readonly login: string } }>('sftp/logins', 'POST', {
    name: 'web',
  });
  const options = '-P 2022 -o StrictHostKeyChecking=no -o BatchMode=no -b -';
  const sftp = (commands: string) =>
    machine.run(`SSHPASS='${login.password}' sshpass -e sftp ${options} ${login.login.login}@127.0.0.1`, commands);
  await machine.run('echo first >/root/page.html');
  await sftp('put /root/page.html\n');
  const stored = '/srv/hostkeep/bea/page.html';
  assert.match(await machine.run(`ls -ln ${stored}`), /^-rw-r--r-- 1 (?!0 )/);
  assert.is((await ended(await ask('backups', 'POST'))).state, 'done');
  await machine.run('echo second >/root/page.html');
  await sftp('put /root/page.html\n');
  assert.is(await machine.run(`cat ${stored}`), 'second\n');
  const { backups } = await ask<{ readonly backups: readonly { readonly id: string }[] }>('backups');
  assert.is((await ended(await ask(`backups/${backups[0]?.id}/restore`, 'POST', { path: 'page.html' }))).state, 'done');
  assert.is(await machine.run(`cat ${stored}`), 'first\n');
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
    ['shop.example', 'PHP as 200002'],
  ] as const)
    assert.is((await page(name, flags)).output, `${text}\n200`, name);
  assert.is.not((await page('blog.shop.example/link.html', flags)).output.slice(-3), '200');
  const reload = await found('reload');
  assert.is(reload?.['state'], 'ok', JSON.stringify(reload));
  const logs = await found('logs', 'logs');
  assert.is(logs?.['detail'], '/var/log/hostkeep/caddy/access.log is read', JSON.stringify(logs));
  assert.match(await machine.run('ls -ln /var/log/hostkeep/caddy'), /^-rw-r--r-- 1 (?!0 )/m);
});
