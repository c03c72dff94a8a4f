/** What the broker does on a booted Debian 13 with the nginx of the system: the way of a customer from plan to purge. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { testSuite } from '../support/suite.ts';
import { eventually, until } from '../support/until.ts';
import { discardMachines, Machine } from './machine.ts';
import { ADMIN, firstAdministrator, install, PACKAGE, USER } from './packages.ts';

const MAX_EXPOSURE = 4;
const KILLS = 3;
const PASSWORD = 'correct horse battery';
const SETTINGS = `{
  "broker": { "socket": "/run/hostkeep/broker.sock" },
  "webserver": { "driver": "nginx" }
}`;

const test = testSuite('node: broker');
let machine: Machine;
let admin: string;
let ann: string;

const at = (path: string) => join(machine.root, path);
const manage = (path: string, method: string, body?: unknown) =>
  machine.ask(`${ADMIN}${path}`, { token: admin, method, ...(body !== undefined && { body }) });
const addDomain = (name: string) => machine.ask(`${USER}/api/domains/new`, { token: ann, body: { domain_url: name } });
const site = async (name: string) => machine.try(`curl -s -m 5 -w '%{http_code}' -H 'Host: ${name}' http://127.0.0.1/`);

test.before(async () => {
  machine = await Machine.boot();
  await install(machine, PACKAGE);
  await machine.run('rm -f /etc/nginx/sites-enabled/default && systemctl restart nginx');
  await machine.run('cat >/etc/hostkeep/hostkeep.json', SETTINGS);
  await machine.run('systemctl restart hostkeep');
  await until('it serves', async () => (await machine.ask(`${ADMIN}/readyz`)).status === 200);
  admin = await firstAdministrator(machine);
});
test.after(discardMachines);

test('the broker is little exposed, and only the service opens its socket', async () => {
  const exposure = /Overall exposure level for hostkeep-broker\.service: ([\d.]+)/.exec(
    await machine.run('systemd-analyze security --no-pager hostkeep-broker.service'),
  )?.[1];
  assert.ok(Number(exposure) <= MAX_EXPOSURE, `its exposure is ${exposure}`);
  assert.match(await machine.run('stat -c "%U %a" /run/hostkeep/broker.sock'), /^hostkeep 600$/m);
});

test("an account's domain is served by the system's nginx with the account's files", async () => {
  const plan = {
    name: 'small',
    limits: { domains_limit: 5 },
    features: ['domains', 'filemanager', 'fix_permissions', 'info'],
  };
  assert.is((await manage('/api/plans', 'POST', plan)).status, 201);
  for (const username of ['ann', 'bea'])
    assert.is((await manage('/api/accounts', 'POST', { username, password: PASSWORD, plan: 'small' })).status, 201);
  ann = await machine.login(USER, 'ann', PASSWORD);
  const added = await addDomain('ann.example');
  assert.is(added.status, 201, `${added.text}\n${await machine.run('journalctl -u "hostkeep*" -n 40 --no-pager')}`);
  await machine.run(
    "setpriv --reuid=$(stat -c %u /srv/hostkeep/ann) sh -c 'echo hello from ann >/srv/hostkeep/ann/ann.example/index.html'",
  );
  assert.match((await site('ann.example')).output, /hello from ann\n200/);
  const { uid, mode } = statSync(at('srv/hostkeep/ann'));
  assert.ok(uid > 200_000, String(uid));
  assert.is(mode & 0o777, 0o750);
  assert.is(statSync(at('srv/hostkeep/ann/ann.example')).uid, uid);
});

// threat other-accounts: not even with a shell of its own does one account read what is another's
test("another account's user id cannot enter the folder", async () => {
  const bea = await machine.login(USER, 'bea', PASSWORD);
  assert.is(
    (await machine.ask(`${USER}/api/domains/new`, { token: bea, body: { domain_url: 'bea.example' } })).status,
    201,
  );
  const { uid } = statSync(at('srv/hostkeep/bea'));
  assert.is.not(uid, statSync(at('srv/hostkeep/ann')).uid);
  const read = 'cat /srv/hostkeep/ann/ann.example/index.html';
  assert.match((await machine.try(`setpriv --reuid=${uid} --clear-groups ${read}`)).output, /Permission denied/);
  assert.match((await machine.try(`setpriv --reuid=hostkeep --clear-groups ${read}`)).output, /Permission denied/);
});

// threat stolen-service: what root has put into a folder is given to its account, by the broker of the package
test('a repair gives an account what root has copied into its folder', async () => {
  const folder = '/srv/hostkeep/ann/ann.example';
  await machine.run(`mkdir -m 700 ${folder}/copied && install -m 4755 /bin/true ${folder}/copied/program`);
  await machine.run(`touch /srv/hostkeep/outside && ln /srv/hostkeep/outside ${folder}/copied/linked`);
  const { text } = await machine.ask(`${USER}/api/files/repair`, { token: ann, body: { path: 'ann.example' } });
  const { id } = JSON.parse(text) as { id: string };
  const ended = await eventually(
    'the repair has ended',
    async () => (await machine.ask(`${USER}/api/files/tasks/${id}`, { token: ann })).text,
    (task) => !task.includes('"running"'),
  );
  const { state, detail, left_out: leftOut } = JSON.parse(ended) as Record<string, unknown>;
  assert.equal([state, detail, leftOut], ['done', null, 1], ended);
  const { uid } = statSync(at('srv/hostkeep/ann'));
  const given = ['copied', 'copied/program'].map((path) => statSync(at(`srv/hostkeep/ann/ann.example/${path}`)));
  assert.equal(
    given.map((stats) => [stats.uid, stats.mode & 0o7777]),
    [0, 1].map(() => [uid, 0o755]),
  );
  assert.is(statSync(at('srv/hostkeep/outside')).uid, 0);
});

interface Processes {
  readonly problem: string;
  readonly top: readonly { readonly pid: number; readonly user: string }[];
}

test("the broker lists the node's busiest processes", async () => {
  const processes = async () => {
    const { status, text } = await manage('/api/usage/system', 'GET');
    return status === 200 ? (JSON.parse(text) as { processes: Processes }).processes : undefined;
  };
  let found: Processes | undefined;
  await until('the system is described', async () => (found = await processes()) !== undefined);
  assert.is(found?.problem, '');
  assert.ok(
    found?.top.some(({ pid, user }) => pid === 1 && user === 'root'),
    JSON.stringify(found),
  );
  await machine.run('systemctl stop hostkeep-broker.socket hostkeep-broker.service');
  await until('the next sample', async () => (await processes())?.problem.startsWith('the broker: ') === true);
  await machine.run('systemctl start hostkeep-broker.socket');
  await until('they are back', async () => (await processes())?.problem === '');
});

test('doctor finds the broker and a web server that accepts its configuration', async () => {
  const { output } = await machine.try('hostkeep doctor --json');
  const findings = JSON.parse(output) as { plugin: string; name: string; ok: boolean; detail: string }[];
  for (const name of ['broker', 'web server']) {
    const found = findings.find((each) => each.name === name);
    assert.ok(found?.ok, JSON.stringify(found));
  }
});

test('after a reboot the site is served, and domains are added', async () => {
  await machine.reboot();
  await until('the site is back', async () => (await site('ann.example')).output.endsWith('200'));
  await until('Hostkeep is back', async () => (await machine.ask(`${ADMIN}/readyz`)).status === 200);
  assert.is((await addDomain('again.ann.example')).status, 201);
});

test('answers survive killing service and broker in turn while domains are added', async () => {
  const answered: string[] = [];
  for (let n = 0; n < KILLS; n += 1)
    for (const unit of ['hostkeep-broker', 'hostkeep']) {
      const name = `kill-${n}-${unit}.ann.example`;
      const adding = addDomain(name);
      await machine.run(`systemctl kill --signal=KILL ${unit}.service`);
      if ((await adding).status === 201) answered.push(name);
      await until('it serves', async () => (await machine.ask(`${ADMIN}/readyz`)).status === 200);
      const next = await eventually(
        'an answer from the broker that came back',
        () => addDomain(`after-${n}-${unit}.ann.example`),
        ({ status }) => status !== 503,
      );
      if (next.status === 201) answered.push(`after-${n}-${unit}.ann.example`);
      else assert.match(next.text, /limit/, next.text);
    }
  assert.ok(answered.length > 0);
  for (const name of answered)
    await until(`${name} is served`, async () => /(403|404|200)$/.test((await site(name)).output));
});

test('a reload reaches the broker, and settings that are wrong change nothing', async () => {
  await machine.run('echo gone fishing >/etc/hostkeep/away.html');
  const changed = JSON.parse(SETTINGS) as { webserver: object };
  changed.webserver = { ...changed.webserver, suspended_page: '/etc/hostkeep/away.html' };
  await machine.run('cat >/etc/hostkeep/hostkeep.json', JSON.stringify(changed));
  await machine.run('systemctl reload hostkeep');
  const logged = () => machine.run('journalctl -u hostkeep-broker -o cat --no-pager');
  await until('the broker has read them', async () => /"verb":"reload".*"msg":"done"/.test(await logged()));
  const outcomes = () => machine.run('hostkeep events --type configuration.reloaded');
  await until('the server has, too', async () => (await outcomes()).includes('had the configuration reloaded'));
  await machine.run('cat >/etc/hostkeep/hostkeep.json', JSON.stringify({ ...changed, quota: { mounts: 1 } }));
  const { code, output } = await machine.try('hostkeep reload');
  assert.is(code, 1);
  assert.match(output, /quota\.mounts/);
  assert.is((await addDomain('reloaded.ann.example')).status, 201);
  await machine.run('cat >/etc/hostkeep/hostkeep.json', JSON.stringify({ ...changed, log: { level: 'debug' } }));
  const times = async () => (await logged()).split('the settings were read again').length;
  const before = await times();
  await machine.run('systemctl restart hostkeep');
  await until('a restart reaches the broker, too', async () => (await times()) > before);
  await until('it serves', async () => (await machine.ask(`${ADMIN}/readyz`)).status === 200);
  await machine.run('cat >/etc/hostkeep/hostkeep.json', JSON.stringify(changed));
  await machine.run('hostkeep reload');
});

test('a suspended account shows its page; a purged one leaves nothing', async () => {
  assert.is((await manage('/api/accounts/ann/suspend', 'POST')).status, 200);
  await until('the page', async () => (await site('ann.example')).output === 'gone fishing\n503');
  const removed = await manage('/api/accounts/ann?purge=true', 'DELETE');
  assert.ok(removed.status < 300, removed.text);
  await until('it is gone', async () => !(await site('ann.example')).output.includes('hello'));
  await until('its files are gone', async () => !existsSync(at('srv/hostkeep/ann')));
  assert.equal(await machine.run('ls -A /srv/hostkeep/.removed 2>/dev/null || true'), '');
  assert.ok(existsSync(at('srv/hostkeep/bea')));
});
