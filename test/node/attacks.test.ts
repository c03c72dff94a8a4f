/**
 * Attacks of the second security review, once more against the package on a booted Debian 13, with the broker: a hostile engine of
 * an account's own, open streams, a second server, folders that are exchanged while they are made, and a great many of them.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { testSuite } from '../support/suite.ts';
import { eventually, until } from '../support/until.ts';
import { discardMachines, Machine } from './machine.ts';
import { ADMIN, firstAdministrator, install, PACKAGE, USER } from './packages.ts';

const PASSWORD = 'correct horse battery';
const NODE = '/usr/lib/hostkeep/current/bin/node';
const SETTINGS = {
  broker: { socket: '/run/hostkeep/broker.sock' },
  containers: { socket: '', sockets: { ann: '/var/lib/ann/docker.sock' } },
  usage: { access: 'feature' },
};
const CONTAINERS = 1000;
/** So many of an own engine's containers are measured. */
const MEASURED = 50;
const ENGINE_PATHS = ['/api/docker_stats', '/api/container/df'];
const FOLDERS = 5000;
/** Watches of one account. */
const MOST_WATCHES = 2048;
const EXCHANGES = 12;

/** The engine of an account, as its owner may write one: `what` says what it does, and `asked` notes what is asked. */
const ENGINE = `
const http = require('node:http'), fs = require('node:fs');
const note = (file, line) => fs.appendFileSync('/var/lib/ann/' + file, line + '\\n');
http.createServer((_, response) => { note('followed', 'x'); response.end('secret'); }).listen(18080, '127.0.0.1');
const id = (i) => String(i).padStart(64, '0');
const containers = Array.from({ length: ${CONTAINERS} }, (_, i) => ({ Id: id(i), Names: ['/c' + i], Image: 'i', ImageID: 'sha256:' + id(0), State: 'running', Labels: {} }));
const images = Array.from({ length: 5000 }, () => ({ Id: 'sha256:' + id(0), Size: 1, SharedSize: 0, Containers: 1, RepoTags: [] }));
const stats = { padding: 'x'.repeat(60000), pids_stats: { current: 1 }, memory_stats: { usage: 1 } };
const targets = { scheme: 'foo://x/', closed: 'http://127.0.0.1:1/', open: 'http://127.0.0.1:18080/latest/meta-data' };
http.createServer((request, response) => {
  const path = request.url.replace(/^\\/v[\\d.]+/, '').split('?')[0];
  const what = fs.readFileSync('/var/lib/ann/what', 'utf8').trim();
  note('asked', what + ' ' + path);
  if (targets[what] !== undefined) return response.writeHead(302, { Location: targets[what] }).end();
  const body = path === '/system/df' ? { Images: images, Containers: containers, Volumes: [], BuildCache: [] }
    : path === '/containers/json' ? containers : path === '/images/json' ? images : path.endsWith('/stats') ? stats : {};
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(body));
}).listen('/var/lib/ann/docker.sock');
`;

/** Exchanges each new folder of a domain for a folder of root's, with renameat2, and back a moment later. */
const EXCHANGE = `
my $root = '/srv/hostkeep/ann/';
sub exchange { syscall(316, -100, $root . 'roots', -100, $root . $_[0], 2) == 0 }
for my $n (1 .. ${EXCHANGES}) {
  my $name = "race-$n.ann.example";
  1 until exchange($name);
  select(undef, undef, undef, 0.05);
  exchange($name) or die "$n: $!";
}
`;

const test = testSuite('node: attacks');
let machine: Machine;
let [ann, bea, admin] = ['', '', ''];

const at = (path: string) => join(machine.root, path);
const manage = (path: string, body: unknown, method = 'POST') =>
  machine.ask(ADMIN + path, { token: admin, method, body });
/** Runs a command with the user id of an account's files. */
const as = (name: string, command: string) =>
  `setpriv --reuid=${uidOf(name)} --regid=${uidOf(name)} --clear-groups ${command}`;
const uidOf = (name: string) => statSync(at(`srv/hostkeep/${name}`)).uid;
/** Which processes have served since, and how often systemd began anew. */
const life = () => machine.run('systemctl show -p MainPID -p NRestarts hostkeep');

/** Attacks kept others waiting for half a minute. */
async function assertNeighbourServed(): Promise<void> {
  const urls = ['/api/dashboard', '/api/domains', '/api/search/files?q=note'].map(
    (path) => `-o /dev/null '${USER}${path}'`,
  );
  const ask = `curl -s -m 10 -w '%{http_code} ' -H 'Authorization: Bearer ${bea}' ${urls.join(' ')}`;
  assert.is((await machine.try(ask)).output, '200 200 200 ');
}

test.before(async () => {
  machine = await Machine.boot();
  await install(machine, PACKAGE);
  await machine.run('cat >/etc/hostkeep/hostkeep.json', JSON.stringify(SETTINGS));
  await machine.run('systemctl restart hostkeep-broker hostkeep');
  admin = await firstAdministrator(machine);
  for (const username of ['ann', 'bea'])
    await manage('/api/accounts', { username, password: PASSWORD, plan: 'developer' });
  await machine.ask(`${ADMIN}/api/accounts/ann/features/usage`, { token: admin, method: 'PUT' });
  [ann, bea] = [await machine.login(USER, 'ann', PASSWORD), await machine.login(USER, 'bea', PASSWORD)];
  for (const [name, token] of Object.entries({ ann, bea })) {
    const added = await machine.ask(`${USER}/api/domains/new`, { token, body: { domain_url: `${name}.example` } });
    assert.is(added.status, 201, added.text);
  }
});
test.after(discardMachines);

// C3, H7 and H8 of the review
test("an engine of one's own ends nothing, leads nowhere and blocks nobody", async () => {
  const before = await life();
  const uid = uidOf('ann');
  await machine.run(`install -d -o ${uid} -g ${uid} -m 700 /var/lib/ann; cat >/opt/engine.cjs`, ENGINE);
  const asked = () => (existsSync(at('var/lib/ann/asked')) ? readFileSync(at('var/lib/ann/asked'), 'utf8') : '');
  writeFileSync(at('var/lib/ann/what'), 'scheme');
  await machine.run(`systemd-run --quiet --collect --unit=engine ${as('ann', `${NODE} /opt/engine.cjs`)}`);
  await until('the engine listens', () => existsSync(at('var/lib/ann/docker.sock')));
  for (const what of ['scheme', 'closed', 'open', 'many']) {
    writeFileSync(at('var/lib/ann/what'), what);
    const isAsked = (path: string) => asked().includes(`${what} ${path}`);
    await until(`${what} is answered`, async () => {
      const answers = ENGINE_PATHS.map((path) => machine.ask(USER + path, { token: ann }));
      await assertNeighbourServed();
      for (const { status, text } of await Promise.all(answers)) {
        assert.ok(status === 503 || (status === 200 && what === 'many'), `${what}: ${status} ${text}`);
        assert.not(text.includes('secret'));
      }
      return isAsked('/containers/json') && (what !== 'many' || isAsked('/system/df'));
    });
  }
  const measured = () => new Set(asked().match(/\d+(?=\/stats)/g)).size;
  await until('its containers are measured', async () => {
    const { status, text } = await machine.ask(`${USER}/api/docker_stats`, { token: ann });
    return status === 200 && text.includes(`"Container":"${MEASURED}"`);
  });
  assert.is(measured(), MEASURED);
  assert.not(existsSync(at('var/lib/ann/followed')), 'a redirect was followed');
  assert.is(await life(), before);
  await machine.run('systemctl stop engine');
});

// M3 of the review
test("a folder of root's, exchanged for one that is being made, stays root's", async () => {
  await machine.run(
    'install -D -m 600 /dev/null /srv/hostkeep/ann/roots/kept; chmod 700 /srv/hostkeep/ann/roots; cat >/opt/exchange.pl',
    EXCHANGE,
  );
  const exchanging = machine.try(as('ann', 'timeout 90 perl /opt/exchange.pl'));
  for (let n = 1; n <= EXCHANGES; n += 1) {
    const body = { domain_url: `race-${n}.ann.example` };
    const { status, text } = await machine.ask(`${USER}/api/domains/new`, { token: ann, body });
    assert.ok([201, 409, 503].includes(status), `${status} ${text}`);
  }
  assert.is((await exchanging).output, '');
  for (const [path, wanted] of Object.entries({ roots: 0o700, 'roots/kept': 0o600 })) {
    const { uid, mode } = statSync(at(`srv/hostkeep/ann/${path}`));
    assert.equal([uid, mode & 0o777], [0, wanted], path);
  }
});

// M10 of the review
test('a stream ends when its feature is switched off', async () => {
  const flow = machine.try(
    `curl -sN -m 120 -w '%{http_code} %{exitcode}' -H 'Authorization: Bearer ${ann}' -o /run/flow ${ADMIN}/api/usage/stream`,
  );
  await until('samples flow', async () => (await machine.try('cat /run/flow')).output.includes('data:'));
  const revoke = { token: admin, method: 'DELETE' };
  const { status, text } = await machine.ask(`${ADMIN}/api/accounts/ann/features/usage`, revoke);
  assert.is(status, 200, text);
  assert.is((await flow).output, '200 0', 'the server ended it');
});

// M11 of the review
test('a second server does not serve the data of the first', async () => {
  const before = await life();
  const second = 'HOSTKEEP_LISTEN=127.0.0.1:4083 HOSTKEEP_ADMIN_LISTEN=127.0.0.1:4087 hostkeep serve';
  const { code, output } = await machine.try(
    `timeout 60 setpriv --reuid=hostkeep --regid=hostkeep --init-groups env ${second}`,
  );
  assert.is(code, 1, output);
  assert.match(output, /already serves the data folder/);
  assert.is(await life(), before);
  await assertNeighbourServed();
});

// M14 of the review
test("one account's many folders do not take the watches of others", async () => {
  const make = `for (let i = 0; i < ${FOLDERS}; i += 1) fs.mkdirSync('/srv/hostkeep/ann/' + (i >> 8) + '/' + i, { recursive: true })`;
  await machine.run(as('ann', `${NODE} -e "${make}"`));
  const found = async (token: string, name: string) =>
    (await machine.ask(`${USER}/api/search/folders?q=${name}`, { token })).text.includes(name);
  const watches = async (name: string) =>
    Number(
      await machine.run(
        `cat $(pgrep -U ${uidOf(name)} | sed 's|.*|/proc/&/fdinfo/*|') 2>/dev/null | grep -c '^inotify wd' || true`,
      ),
    );
  await until('the many are known', () => found(ann, `${FOLDERS - 1}`));
  // What is read while folders are being watched may have one of them twice.
  await eventually(
    'as many as may be are watched',
    () => watches('ann'),
    (count) => count === MOST_WATCHES,
  );
  await machine.run(as('bea', 'mkdir /srv/hostkeep/bea/new-note'));
  await until('what another has is found', () => found(bea, 'new-note'));
  assert.ok((await watches('bea')) > 0);
});

test('nothing of this has ended the service', async () => {
  assert.match(await life(), /NRestarts=0/);
  await assertNeighbourServed();
});
