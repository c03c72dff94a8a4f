/** @slow What the package puts on a booted Debian 13, and what is left of it after a purge. */
import * as assert from 'uvu/assert';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { discardMachines, Machine } from './machine.ts';
import { ADMIN, firstAdministrator, install, PACKAGE, USER } from './packages.ts';

const FIRST_LOGIN_MS = 20_000;
const INSTALLED_KIB = 160 * 1024;
const MAX_EXPOSURE = 1.5;

const test = testSuite('node: installation');
let machine: Machine;

test.before(async () => {
  machine = await Machine.boot();
});
test.after(discardMachines);

test('the package is installed and the first administrator logs in within the time allowed', async () => {
  const started = performance.now();
  await install(machine, PACKAGE);
  await firstAdministrator(machine);
  const ms = performance.now() - started;
  console.log(`from apt install to the first answered login: ${(ms / 1000).toFixed(1)} s`);
  assert.ok(ms <= FIRST_LOGIN_MS, `it took ${Math.round(ms)} ms`);
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

test('the manual, the completions, the schema and the timer are where systems look for them', async () => {
  assert.match(await machine.run('man -P cat hostkeep'), /backup create \[target\]/);
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

test('it serves again after a reboot', async () => {
  await machine.reboot();
  await until('it serves', 10_000, async () => (await machine.ask(`${ADMIN}/readyz`)).status === 200);
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
