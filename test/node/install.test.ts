/** What the package puts on a booted Debian 13, and what is left of it after a purge. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { testSuite } from '../support/suite.ts';
import { eventually, until } from '../support/until.ts';
import { discardMachines, Machine } from './machine.ts';
import { ADMIN, firstAdministrator, install, PACKAGE, USER } from './packages.ts';

interface DemoCredentials {
  readonly base_url: string;
  readonly user: { readonly username: string; readonly password: string };
}

const INSTALLED_KIB = 160 * 1024;
const MAX_EXPOSURE = 1.5;
/** Tries to listen wherever a client of the service may connect to, and says how often it could. */
const SQUATTER = `#!/usr/bin/perl
use Socket qw(:all);
$SIG{TERM} = sub { print "$won of $tries tries\\n"; exit };
for (;;) {
  for $port (2083, 2087) {
    for $host ('127.0.0.1', '::1', '0.0.0.0', '::') {
      my ($error, $to) = getaddrinfo($host, $port, { socktype => SOCK_STREAM });
      socket(my $socket, $to->{family}, SOCK_STREAM, 0);
      setsockopt($socket, SOL_SOCKET, $_, 1) for SO_REUSEADDR, SO_REUSEPORT;
      $tries++;
      $won++ if bind($socket, $to->{addr}) && listen($socket, 1);
      $won += 0;
      select undef, undef, undef, 0.001;
    }
  }
}
`;

const test = testSuite('node: installation');
let machine: Machine;

test.before(async () => {
  machine = await Machine.boot();
});
test.after(discardMachines);

test('the package installs, and the first administrator logs in', async () => {
  const started = performance.now();
  await install(machine, PACKAGE);
  await firstAdministrator(machine);
  const ms = performance.now() - started;
  console.log(`from apt install to the first answered login: ${(ms / 1000).toFixed(1)} s`); // 20 are wanted, on a quiet machine
  assert.is((await machine.ask(`${ADMIN}/readyz`)).status, 200);
  assert.is((await machine.ask(`${USER}/readyz`)).status, 200);
});

test('the service runs without rights, as a user of its own', async () => {
  const status = await machine.run('cat /proc/$(systemctl show -p MainPID --value hostkeep)/status');
  assert.match(status, /^Uid:\s+([1-9]\d*)\s+\1\s+\1\s+\1$/m);
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
    assert.match(status, new RegExp(`^${set}:\\s+0+$`, 'm'));
  assert.match(status, /^NoNewPrivs:\s+1$/m);
  const exposure = /Overall exposure level for hostkeep\.service: ([\d.]+)/.exec(
    await machine.run('systemd-analyze security --no-pager hostkeep.service'),
  )?.[1];
  assert.ok(Number(exposure) <= MAX_EXPOSURE, `its exposure is ${exposure}`);
});

test('the package is small, and holds nothing of other platforms', async () => {
  const [size = ''] = (
    await machine.run(
      'dpkg-query -L hostkeep | xargs -d "\\n" stat -c "%F %b" | awk \'/^regular/ {n += $3} END {print n / 2}\'',
    )
  ).split('\n');
  assert.ok(Number(size) > 0 && Number(size) <= INSTALLED_KIB, `${size} KiB`);
  assert.is(await machine.run('dpkg-query -L hostkeep | grep -E "darwin|win32|arm64|musl" || true'), '');
});

test('the manual, completions, schema and timer are where systems look', async () => {
  const page = await machine.run('man -P cat hostkeep');
  for (const command of [/backup create \[target\]/, /^ *upgrade <package>$/m, /^ *rollback$/m])
    assert.match(page, command);
  assert.match(page, /^SUSPENDED ACCOUNTS$/m, "the operator's manual follows the commands");
  assert.match(
    await machine.run(
      'bash -c \'. /usr/share/bash-completion/completions/hostkeep; COMP_WORDS=(hostkeep account ad); COMP_CWORD=2; _hostkeep; echo "${COMPREPLY[@]}"\'',
    ),
    /^add$/m,
  );
  await machine.run('test -s /usr/share/zsh/vendor-completions/_hostkeep');
  await machine.run('test -s /usr/share/fish/vendor_completions.d/hostkeep.fish');
  assert.match(await machine.run('hostkeep config check'), /./);
  assert.is(
    (await machine.run('systemctl is-enabled hostkeep-broker.socket hostkeep.service hostkeep-backup.timer')).trim(),
    'enabled\nenabled\nenabled',
  );
  await machine.run('systemctl start hostkeep-backup.service');
  assert.match(await machine.run('ls /var/lib/hostkeep/backups'), /^hostkeep-\w+\.tar$/m);
});

// threat served-links: the package mounts the files of accounts for Caddy, without links
test('Caddy can be given the files of accounts, without their links', async () => {
  const unit = 'run-hostkeep-sites-srv-hostkeep.mount';
  await machine.run(`test -d /etc/caddy/hostkeep.d && systemctl start ${unit}`);
  await machine.run('mkdir /srv/hostkeep/probe && echo hello >/srv/hostkeep/probe/a && ln -s a /srv/hostkeep/probe/b');
  const view = '/run/hostkeep/sites/srv/hostkeep/probe';
  assert.is(await machine.run(`cat ${view}/a`), 'hello\n');
  assert.match((await machine.try(`cat ${view}/b`)).output, /Too many levels of symbolic links/);
  await machine.run(`systemctl stop ${unit} && rm -r /srv/hostkeep/probe`);
});

// threat stolen-port: systemd holds the addresses, whether the service runs or not
test('no other user listens at the addresses while the service is down', async () => {
  await machine.run('cat >/usr/local/bin/squat && chmod 755 /usr/local/bin/squat', SQUATTER);
  await machine.run('systemd-run --quiet --unit=squatter --uid=nobody /usr/local/bin/squat');
  await machine.run('systemctl restart hostkeep && systemctl kill --signal=KILL hostkeep.service');
  await until('it serves', async () => (await machine.ask(`${ADMIN}/readyz`)).status === 200);
  await machine.run('systemctl stop hostkeep && sleep 1');
  await machine.run('systemctl stop squatter');
  const said = await eventually(
    'it says what came of it, which the journal may write later',
    () => machine.run('journalctl -u squatter -o cat'),
    (text) => / tries$/m.test(text),
  );
  assert.match(said, /^0 of [1-9]\d{2,} tries$/m);
  await machine.run('systemctl start hostkeep');
  await until('it serves', async () => (await machine.ask(`${ADMIN}/readyz`)).status === 200);
  assert.is((await machine.run('systemctl show -P NFileDescriptorStore hostkeep-ports')).trim(), '4');
});

test('the service comes back after a reboot, and its addresses were held first', async () => {
  await machine.reboot();
  await until('it serves', async () => (await machine.ask(`${ADMIN}/readyz`)).status === 200);
  const since = (what: string) => machine.run(`systemctl show -P ${what}`).then(Number);
  const held = await since('ActiveEnterTimestampMonotonic hostkeep-ports.service');
  assert.ok(held > 0 && held <= (await since('ActiveEnterTimestampMonotonic basic.target')));
});

test('every user may try the demo, beside the service', async () => {
  await machine.run('useradd --create-home ann');
  const homes = { ann: '/home/ann', root: '/var/lib/hostkeep' };
  for (const [user, home] of Object.entries(homes)) {
    await machine.run(`systemd-run --quiet --unit=demo-of-${user} --uid=${user} --setenv=HOME=${home} hostkeep demo`);
    const file = join(machine.root, home, '.local/state/hostkeep/demo/credentials.json');
    await until(`the demo of ${user} serves`, () => existsSync(file));
    const { base_url, user: login } = JSON.parse(readFileSync(file, 'utf8')) as DemoCredentials;
    assert.ok((await machine.login(base_url, login.username, login.password)) !== '');
    await machine.run(`systemctl stop demo-of-${user}`);
  }
  await machine.run('userdel --remove ann');
  assert.is((await machine.ask(`${ADMIN}/readyz`)).status, 200);
});

test('what is installed again after a removal runs again', async () => {
  const units = ['hostkeep.service', 'hostkeep-broker.socket', 'hostkeep-backup.timer', 'hostkeep-ports.service'];
  const states = async () => (await machine.try(`systemctl is-active ${units.join(' ')}`)).output.trim().split('\n');
  const link = '/var/lib/hostkeep/last-settings.json';
  await machine.run(`setpriv --reuid=hostkeep --clear-groups ln -s /root/planted ${link}`);
  await machine.run('apt-get remove -y hostkeep');
  await machine.run(`test ! -e /root/planted && rm ${link}`);
  assert.equal(new Set(await states()), new Set(['inactive']));
  await install(machine, PACKAGE);
  assert.equal(new Set(await states()), new Set(['active']));
  await until('it serves', async () => (await machine.ask(`${ADMIN}/readyz`)).status === 200);
  await machine.run('systemctl stop hostkeep.service && dpkg-reconfigure hostkeep');
  assert.is((await states())[0], 'inactive', await machine.run('journalctl -u hostkeep -n 30 --no-pager'));
  await machine.run('systemctl start hostkeep.service');
  await until('it serves', async () => (await machine.ask(`${ADMIN}/readyz`)).status === 200);
});

test("a purge leaves what is the customers', and says where it is", async () => {
  await machine.run('hostkeep account add ann --plan basic');
  const files = '/srv/hostkeep';
  await machine.run(`install -d -o hostkeep ${files}/ann && echo hello >${files}/ann/index.html`);
  assert.match(await machine.run('apt-get purge -y hostkeep'), new RegExp(`the files of customers stay in ${files}`));
  const left = await machine.run(
    'find / -xdev \\( -path /proc -o -path /sys -o -path /root -o -path /var/log -o -path /run -o -path /var/cache/man \\) -prune -o -iname "*hostkeep*" -print',
  );
  assert.equal(left.trim().split('\n'), [files]);
  assert.is(await machine.run(`cd ${files} && find . -type f`), './ann/index.html\n');
});
