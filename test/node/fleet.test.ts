/**
 * A fleet of two installed nodes, as their operator makes it: systemd, the broker, the nginx of the system, workers,
 * and a PostgreSQL that is reached over TLS.
 */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { hasOwnNetwork } from '../support/own-network.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { FleetNode, makeNetwork, SharedStore } from './fleet-nodes.ts';
import { discardMachines } from './machine.ts';
import { changedPackage, firstAdministrator, USER } from './packages.ts';
import { assertNone } from '../support/lists.ts';

const PASSWORD = 'correct horse battery';
/** A visitor of a site, who says what it got. */
const ASKING = `while sleep 0.05; do
  [ "$(curl -s -m 5 -H 'Host: ann.example' http://127.0.0.1/)" = 'hello from ann' ] && echo is served || echo not served
done`;
const RIGHTS = 'chgrp hostkeep /etc/hostkeep/store-password && chmod 640 /etc/hostkeep/store-password';

if (await hasOwnNetwork(import.meta.filename)) {
  const test = testSuite('node: fleet');
  let store: SharedStore;
  let [a, b] = [] as unknown as [FleetNode, FleetNode];

  test.before(async () => {
    makeNetwork();
    store = await SharedStore.start();
    // accounts have other user ids at the other node
    [a, b] = await Promise.all([
      FleetNode.install(store, '192.0.2.11', 300_000),
      FleetNode.install(store, '192.0.2.12', 400_000),
    ]);
  });
  test.after(() => {
    discardMachines();
    store.server.remove();
  });

  /** Adds an account at the node `b`, through `a`, with a domain that has a page. */
  async function addSite(username: string): Promise<void> {
    const added = await a.manage('/api/accounts', 'POST', { username, password: PASSWORD, plan: 'small', node: 'b' });
    assert.is(added.status, 201, added.text);
    a.tokens[username] = b.tokens[username] = await a.login(USER, username, PASSWORD);
    const domain = await a.as(username, '/api/domains/new', { domain_url: `${username}.example` });
    assert.is(domain.status, 201, `${domain.text}\n${await b.log()}`);
    const page = `echo hello from ${username} >/srv/hostkeep/${username}/${username}.example/index.html`;
    const id = statSync(b.filesOf(username)).uid;
    await b.run(`setpriv --reuid=${id} --regid=${id} --clear-groups sh -c '${page}'`);
    await until('b serves the site', async () => (await b.site(`${username}.example`)) === `hello from ${username}`);
  }

  /** Waits until both nodes answer for both accounts. */
  async function areAnswered(): Promise<void> {
    for (const node of [a, b])
      for (const username of ['ann', 'ben'])
        await until(`${username} is answered`, async () => (await node.as(username, '/api/folders')).status === 200);
  }

  test('a node moves its store to PostgreSQL and begins a fleet', async () => {
    a.tokens['root'] = b.tokens['root'] = await firstAdministrator(a);
    const plan = { name: 'small', limits: { domains_limit: 5 }, features: ['domains', 'filemanager', 'info'] };
    assert.is((await a.manage('/api/plans', 'POST', plan)).status, 201);
    await a.run('hostkeep account add old --plan small');
    const copy = `hostkeep store copy --to '${store.url}' --password-file /etc/hostkeep/store-password`;
    await a.refuses(copy, /already serves the data folder/);
    await a.refuses(`hostkeep fleet init ${a.placeAs('a')}`, /set store\.url first/);
    await a.run('systemctl stop hostkeep');
    await a.refuses(copy, /permission denied/i);
    await a.run(RIGHTS);
    assert.match(await a.run(copy), /set store\.url, and store\.password_file/);
    await a.configure(store.url);
    await a.run('hostkeep config check');
    assert.match(await a.run(`hostkeep fleet init ${a.placeAs('a')}`), /accounts that live here: 1; start its server/);
    await a.run('systemctl start hostkeep');
    await a.serves();
    assert.is((await a.manage('/api/accounts/old')).status, 200, 'the token of before');
  });

  test('a node where Hostkeep was just installed joins it by a token', async () => {
    const token = (await a.run('hostkeep fleet invite --name b')).trim();
    const join = `hostkeep fleet join ${b.placeAs('b')}`;
    await b.run(RIGHTS);
    await b.configure(store.url);
    await b.refuses(join, /already serves the data folder/, token);
    await b.run('systemctl stop hostkeep');
    assert.match(await b.run(join, token), /b has joined the fleet; start its server/);
    await b.run('systemctl start hostkeep');
    await b.serves();
    await until('both are up', async () => {
      const { text } = await b.manage('/api/fleet');
      return (JSON.parse(text) as { nodes: { state: string }[] }).nodes.map(({ state }) => state).join() === 'up,up';
    });
    for (const node of [a, b]) {
      const found = await node.findings();
      assertNone(found, ({ plugin, ok }) => plugin === 'fleet' && !ok);
      assert.is((await node.run("pgrep -fc '[m]ain.js worker'")).trim(), '2');
      for (const each of ['broker', 'web server', 'node a', 'node b'])
        assert.ok(found.find((finding) => finding.name === each)?.ok, `${each}: ${JSON.stringify(found)}`);
      await node.run('systemctl start hostkeep-backup.service');
      await until('it says why it makes none', async () =>
        /whose own tools back it up/.test(await node.run('journalctl -u hostkeep-backup -o cat')),
      );
      assert.is((await node.run('systemctl list-units --failed --plain --no-legend "hostkeep*"')).trim(), '');
    }
  });

  test('the fleet is closed to other users of the node, and to who has no certificate', async () => {
    assert.match(await b.run('stat -c "%U %a" /var/lib/hostkeep/fleet/membership.json'), /^hostkeep 600$/m);
    assert.match(
      await b.run('stat -c "%U %a" /var/lib/hostkeep/fleet /var/lib/hostkeep'),
      /^hostkeep 700\nhostkeep 700$/m,
    );
    const stranger = `curl -sk -m 5 https://${b.address}:7443/readyz`;
    assert.is.not((await a.try(stranger)).code, 0);
  });

  test("both nodes answer for an account, and its home's nginx serves its files", async () => {
    await addSite('ann');
    const id = statSync(b.filesOf('ann')).uid;
    assert.ok(id > b.firstId, String(id));
    for (const node of [a, b]) {
      const { status, text } = await node.as('ann', '/api/folders');
      assert.is(status, 200, text);
      assert.match(text, /ann\.example/);
    }
    assert.not(existsSync(a.filesOf('ann')));
    assert.is.not(await a.site('ann.example'), 'hello from ann');
  });

  test('the console has the figures of both nodes at either', async () => {
    for (const node of [a, b])
      for (const described of ['a', 'b'])
        await until(`${described} is described`, async () => {
          const { status, text } = await node.manage(`/api/usage/system?node=${described}`);
          return status === 200 && (JSON.parse(text) as { processes: { problem: string } }).processes.problem === '';
        });
  });

  test("an account moves with its files, which get the new node's user id", async () => {
    const id = statSync(b.filesOf('ann')).uid;
    // as `chmod g+s` and a program of the customer's make them, outside of the sandbox of the broker
    await b.run(
      `cd /srv/hostkeep/ann && install -d -o ${id} -g ${id} -m 2775 shared && install -o ${id} -g www-data -m 6755 /bin/true shared/tool`,
    );
    await b.run('cat >/root/asking', ASKING);
    await b.run('systemd-run --quiet --unit=asking sh /root/asking');
    const asked = async (): Promise<string[]> =>
      (await b.run('journalctl -u asking -o cat')).match(/^(is|not) served$/gm) ?? [];
    await until('it is asked', async () => (await asked()).includes('is served'));
    const { code, output } = await b.try('hostkeep account move ann --to a --json');
    assert.is(code, 0, `${output}\n${await a.log()}\n${await b.log()}`);
    assert.match(output, /"state":"moved"/);
    await until('a serves the site', async () => (await a.site('ann.example')) === 'hello from ann');
    await until('b does not', async () => (await b.site('ann.example')) !== 'hello from ann');
    await until('the visitor has seen that', async () => (await asked()).includes('not served'));
    await b.run('systemctl stop asking');
    const answers = await asked();
    assert.ok(answers.indexOf('not served') > answers.lastIndexOf('is served'), answers.join('\n'));
    const moved = statSync(a.filesOf('ann'));
    assert.is(moved.uid - a.firstId, id - b.firstId);
    assert.is(moved.mode & 0o7777, 0o750);
    for (const path of ['ann.example/index.html', 'shared', 'shared/tool'])
      assert.is(statSync(join(a.filesOf('ann'), path)).uid, moved.uid, path);
    assert.not(existsSync(b.filesOf('ann')));
    for (const node of [a, b]) assert.match((await node.as('ann', '/api/folders')).text, /shared/);
    const again = await b.as('ann', '/api/domains/new', { domain_url: 'shop.ann.example' });
    assert.is(again.status, 201, again.text);
  });

  test('while a node restarts, the other goes on, and says so of what is there', async () => {
    await addSite('ben');
    await b.run('systemctl stop hostkeep');
    assert.is((await a.as('ann', '/api/folders')).status, 200);
    const gone = await a.as('ben', '/api/folders');
    assert.equal([gone.status, (JSON.parse(gone.text) as { error: string }).error], [503, 'node_unreachable']);
    const found = (await a.findings()).find(({ name }) => name === 'node b');
    assert.match(found?.detail ?? '', /does not answer at 192\.0\.2\.12:7443/);
    assert.match(found?.remedy ?? '', /check that its server runs, and that no firewall is in the way/);
    assert.is(await b.site('ben.example'), 'hello from ben', 'nginx serves on');
    await b.run('systemctl start hostkeep');
    await until('ben is answered', async () => (await a.as('ben', '/api/folders')).status === 200);
    for (const node of [b, a]) assert.match(await node.run('hostkeep reload'), /^the configuration was reloaded\n/);
    await areAnswered();
  });

  test('a node that boots before its network is there comes into the fleet by itself', async () => {
    await b.reboot();
    await until('it has tried', async () => /cannot be opened/.test(await b.log()));
    await b.connect();
    await b.serves();
    await until('ben is answered', async () => (await a.as('ben', '/api/folders')).status === 200);
    assert.is(await b.site('ben.example'), 'hello from ben');
  });

  test('one node upgrades before the other and rolls back without a question', async () => {
    const deb = packageWith('0.2.0', { '0090-probe': 'create table probe (id integer)' });
    assert.match(await b.run(`hostkeep upgrade ${b.take(deb)}`), /0\.2\.0 is in use/);
    await areAnswered();
    await a.run('systemctl restart hostkeep');
    await a.serves();
    await areAnswered();
    const { code, output } = await b.try('hostkeep rollback');
    assert.is(code, 0, output);
    assert.match(output, /0\.1\.0 is in use/);
    await areAnswered();
  });

  test('an account is purged at its home from any node, and nothing is left', async () => {
    await a.refuses('hostkeep account remove ben --yes', /lives on the node b|other_node|do this there/);
    const purged = await a.manage('/api/accounts/ben?purge=true', 'DELETE');
    assert.is(purged.status, 200, purged.text);
    assert.is((JSON.parse(purged.text) as { purge: { state: string } }).purge.state, 'complete', purged.text);
    await until('its files are gone', () => !existsSync(b.filesOf('ben')));
    await until('it is not served', async () => (await b.site('ben.example')) !== 'hello from ben');
    assert.is(await b.run('ls /etc/nginx/hostkeep.d | grep ben || true'), '');
  });

  test('a node leaves, and is one by itself with a store of its own', async () => {
    await b.refuses('hostkeep fleet leave --yes', /already serves the data folder/);
    await b.run('systemctl stop hostkeep');
    assert.match(await b.run('hostkeep fleet leave --yes'), /b has left the fleet; give it a store of its own/);
    await b.configure();
    await b.run('systemctl start hostkeep');
    await b.serves();
    assert.is(JSON.parse(await b.run('hostkeep account list --json')).length, 0);
    assert.is((await a.as('ann', '/api/folders')).status, 200);
  });

  test('the last node keeps the store and recovers from an upgrade that fails', async () => {
    await a.run('systemctl stop hostkeep');
    assert.match(await a.run('hostkeep fleet leave --yes'), /it was the last one, and is a node by itself now/);
    await a.run('systemctl start hostkeep');
    await a.serves();
    const deb = packageWith('0.2.1', { '0091-good': 'create table good (id integer)', '0092-bad': 'nonsense' });
    const { code, output } = await a.try(`hostkeep upgrade ${a.take(deb)}`);
    assert.is(code, 1, output);
    assert.match(output, /the upgrade to 0\.2\.1 failed; 0\.1\.0 is in use\n$/);
    assert.is((await a.as('ann', '/api/folders')).status, 200);
  });
}

/** Returns a package with further migrations. */
function packageWith(version: string, migrations: Readonly<Record<string, string>>): string {
  return changedPackage(version, (program) => {
    for (const [name, statement] of Object.entries(migrations))
      for (const folder of ['', 'postgres'])
        writeFileSync(join(program, 'kernel/store/migrations', folder, `${name}.sql`), `${statement};\n`);
  });
}
