/** How nodes come into a fleet and leave it, by the commands of operators. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { readMembership } from '../../../../kernel/run/data/membership.ts';
import fleetPlugin from '../../../../plugins/fleet/index.ts';
import { Invitation } from '../../../../plugins/fleet/membership/invitation.ts';
import { hostkeep } from '../../../support/command.ts';
import { TestFleet, type FleetMember } from '../../../support/fleet.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { PASSWORD, TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { inFile } from '../../../support/postgres.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import { pick } from '../../../support/lists.ts';

const [accounts] = await needs('accounts');
const test = testSuite('fleet joining');
const AT = ['--listen', '127.0.0.1:1'] as const;
let fleet: TestFleet;
let one: FleetMember;
test.before(async () => {
  fleet = new TestFleet('joining');
  const data = join(temporaryFolder(), 'data');
  const added = await fleet.run(data, ['account', 'add', 'ann', '--plan', 'developer', '--password-stdin'], PASSWORD);
  assert.is(added.code, 1, 'a command that looks makes no store');
  await fleet.run(data, ['account', 'add', '--admin', 'root', '--password-stdin'], PASSWORD);
  await fleet.run(data, ['account', 'add', 'ann', '--plan', 'developer', '--password-stdin'], PASSWORD);
  one = await fleet.init('one', data);
});

const emptyFolder = () => join(temporaryFolder(), 'data');
const refusal = async (data: string, args: readonly string[], input = ''): Promise<string> => {
  const { code, stderr } = await fleet.run(data, args, input);
  assert.is.not(code, 0, args.join(' '));
  return stderr;
};
const listed = async (): Promise<{ name: string }[]> =>
  JSON.parse((await fleet.run(one.data, ['fleet', 'list', '--json'])).stdout) as { name: string }[];

test('a fleet begins with PostgreSQL, a name, an address and a stopped server', async () => {
  const lone = await hostkeep(emptyFolder(), ['fleet', 'init', '--name', 'one', ...AT], '', undefined, {
    HOSTKEEP_STORE_URL: '',
  });
  assert.match(lone.stderr, /a fleet shares a store in PostgreSQL: set store\.url first/);
  const alone = (...args: string[]) =>
    hostkeep(emptyFolder(), ['fleet', ...args], '', undefined, { HOSTKEEP_STORE_URL: '' });
  assert.match((await alone('remove', 'one', '--yes')).stderr, /this node is in no fleet/);
  assert.is((await alone('list')).stdout, 'this node is in no fleet\n');
  const init = (name: string, listen: string) => ['fleet', 'init', `--name=${name}`, `--listen=${listen}`];
  await Promise.all([
    ...['One', 'a.b', 'a-'].map(async (name) =>
      assert.match(await refusal(emptyFolder(), init(name, '127.0.0.1:1')), /1 to 32 characters/),
    ),
    ...[
      ...['7000', '0.0.0.0:7000', '[::]:7000', 'host:70000', 'host:7e3'],
      ...['2001:db8::1:7000', 'http://host:7000', 'user@host:7000'],
    ].map(async (listen) => assert.match(await refusal(emptyFolder(), init('two', listen)), /host:port at which/)),
  ]);
  assert.match(await refusal(one.data, init('two', '127.0.0.1:1')), /in a fleet already, as one/);
  assert.match(await refusal(emptyFolder(), ['fleet', 'leave', '--yes']), /in no fleet|no store/);
  const server = await fleet.serve(one, [fleetPlugin]);
  assert.match(await refusal(one.data, ['fleet', 'leave', '--yes']), /already serves the data folder/);
  await server.close();
});

test('existing accounts get the first node as home, and its files are closed', async () => {
  const server = await fleet.serve(one, [fleetPlugin]);
  assert.is((await server.hostkeep.core.accounts.get('ann')).home, 'one');
  await server.close();
  for (const [path, mode] of [
    ['fleet', 0o700],
    ['fleet/membership.json', 0o600],
  ] as const)
    assert.is(statSync(join(one.data, path)).mode & 0o777, mode);
});

// threat fleet-stranger: an invitation is for one node, for a time, and nobody can open it without its token
test('an invitation that is wrong, over, used, or for another name lets nobody in', async () => {
  const data = emptyFolder();
  const attempt = (token: string, name = 'two') => refusal(data, ['fleet', 'join', '--name', name, ...AT], token);
  for (const hours of ['0', '8761'])
    assert.match(await refusal(one.data, ['fleet', 'invite', '--hours', hours]), /and at most 8760$/m);
  assert.match(await attempt('nonsense'), /this is no token/);
  assert.match(await attempt(Invitation.make().token), /unknown, used, or over/);
  const token = await fleet.invite(one);
  assert.match(token, /^hkf_/, 'none begins with a hyphen, as an option does');
  const changed = token.slice(0, 30) + (token[30] === 'A' ? 'B' : 'A') + token.slice(31);
  assert.match(await attempt(changed), /authenticate|decrypt/i, 'a token that was changed');
  assert.match(await attempt(token, 'one'), /there is a node one in the fleet already/);
  assert.match(await attempt(await fleet.invite(one, '--hours', '0.0000001')), /unknown, used, or over/);
  assert.match(await attempt(await fleet.invite(one, '--name', 'three')), /the invitation is for a node three/);
  assert.match(await refusal(one.data, ['fleet', 'join', '--name', 'two', ...AT], token), /in a fleet already, as one/);
  assert.not.ok(existsSync(join(data, 'keys.json')));
  const joined = await fleet.run(data, ['fleet', 'join', token, '--name', 'two', ...AT]);
  assert.is(joined.code, 0, joined.stderr);
  assert.match(
    await refusal(emptyFolder(), ['fleet', 'join', '--name', 'four', ...AT], token),
    /unknown, used, or over/,
  );
  assert.equal(pick(await listed(), 'name'), ['one', 'two']);
  assert.is(readMembership(data)?.ca, readMembership(one.data)?.ca);
  const shared = await fleet.invite(one);
  const folders = ['left', 'right'].map((name) => ({ name, data: emptyFolder() }));
  const both = await Promise.all(
    folders.map((each) => fleet.run(each.data, ['fleet', 'join', '--name', each.name, ...AT], shared)),
  );
  assert.equal(both.map(({ code }) => code).toSorted(), [0, 1], 'two at once');
  for (const each of folders)
    if (readMembership(each.data) !== undefined)
      assert.is((await fleet.run(each.data, ['fleet', 'leave', '--yes'])).code, 0);
});

test('a node whose keys are in use joins nothing', async () => {
  const token = await fleet.invite(one);
  const join = async (data: string) =>
    assert.match(
      await refusal(data, ['fleet', 'join', '--name', 'four', ...AT], token),
      /has the keys of a store with accounts/,
    );
  const add = ['account', 'add', '--admin', 'root', '--password-stdin'];
  const elsewhere = emptyFolder();
  await new TestFleet('joining_keys').run(elsewhere, add, PASSWORD);
  await join(elsewhere);
  const own = emptyFolder();
  await hostkeep(own, add, PASSWORD, undefined, { HOSTKEEP_STORE_URL: '' });
  await join(own);
});

test('a node that has served nobody joins, and its keys are set aside', async () => {
  const data = emptyFolder();
  await (await TestServer.start({ data, plugins: [], config: inFile })).close();
  const own = readFileSync(join(data, 'keys.json'), 'utf8');
  const { code, stderr } = await fleet.run(data, ['fleet', 'join', '--name', 'fresh', ...AT], await fleet.invite(one));
  assert.is(code, 0, stderr);
  assert.is(readFileSync(join(data, 'keys.json'), 'utf8'), readFileSync(join(one.data, 'keys.json'), 'utf8'));
  const aside = readdirSync(data).filter((name) => /^keys-\w+\.json$/.test(name));
  assert.equal(
    aside.map((name) => readFileSync(join(data, name), 'utf8')),
    [own],
  );
  assert.is((await fleet.run(data, ['fleet', 'leave', '--yes'])).code, 0);
});

test('a join that was cut short is repeated and replaces no live node', async () => {
  const lost = await fleet.join(one, 'lost');
  const again = ['fleet', 'join', '--name', 'lost', ...AT];
  assert.match(await refusal(lost.data, again, await fleet.invite(one)), /in a fleet already, as lost/);
  const { code, stderr } = await fleet.run(emptyFolder(), again, await fleet.invite(one));
  assert.is(code, 0, stderr);
  assert.is((await listed()).filter(({ name }) => name === 'lost').length, 1);
  assert.match(
    await refusal(emptyFolder(), ['fleet', 'join', '--name', 'one', ...AT], await fleet.invite(one)),
    /there is a node one in the fleet already/,
  );
  assert.is((await fleet.run(one.data, ['fleet', 'remove', 'lost', '--yes'])).code, 0);

  const other = new TestFleet('begun twice');
  const data = emptyFolder();
  await other.run(data, ['account', 'add', '--admin', 'root', '--password-stdin'], PASSWORD);
  await other.run(data, ['account', 'add', 'eve', '--plan', 'developer', '--password-stdin'], PASSWORD);
  await other.init('first', data);
  const init = ['fleet', 'init', '--name', 'second', ...AT];
  assert.match(await refusal(data, init), /in a fleet already, as first/);
  rmSync(join(data, 'fleet'), { recursive: true });
  const begun = await other.run(data, init);
  assert.match(begun.stdout, /accounts that live here: 1;/, begun.stderr);
  assert.equal(
    (JSON.parse((await other.run(data, ['fleet', 'list', '--json'])).stdout) as { name: string }[]).map(
      ({ name }) => name,
    ),
    ['second'],
  );
});

test('a node drains, returns, leaves or is removed; no account is lost', async () => {
  const five = await fleet.join(one, 'five');
  assert.match((await fleet.run(one.data, ['fleet', 'drain', 'five'])).stdout, /five takes no new accounts/);
  assert.match(await refusal(one.data, ['fleet', 'drain', 'five']), /takes no new accounts already/);
  assert.match(await refusal(one.data, ['fleet', 'drain', 'nine']), /there is no node nine/);
  assert.match((await fleet.run(one.data, ['fleet', 'list'])).stdout, /^five +down, draining /m);
  const server = await fleet.serve(five, [accounts, fleetPlugin]);
  const { token: customer } = await server.user('bob');
  const { token } = await server.admin('operator');
  const stateOfFive = async (): Promise<unknown> => {
    const { body } = await server.ask<{ nodes: { name: string; state: string; accounts: number | null }[] }>(
      '/api/fleet',
      { address: 'admin', token },
    );
    const found = body.nodes.find(({ name }) => name === 'five');
    return [found?.state, found?.accounts];
  };
  assert.is((await server.ask('/api/fleet', { address: 'admin' })).status, 401);
  const add = await fleet.run(five.data, ['account', 'add', 'eve', '--plan', 'developer']);
  assert.match(add.stderr, /the node five takes no new accounts: name another one/);
  const create = (username: string) =>
    server.ask('/api/accounts', {
      address: 'admin',
      token,
      method: 'POST',
      body: { username, password: PASSWORD, role: 'user', plan: 'developer', node: 'five' },
    });
  const refused = await create('eve');
  assert.equal([refused.status, refused.body['error']], [409, 'node_draining']);
  await until('it says that it is there', async () => String(await stateOfFive()) === 'draining,1');
  assert.match(await refusal(one.data, ['fleet', 'remove', 'five', '--yes', '--force']), /five is running/);
  assert.match((await fleet.run(one.data, ['fleet', 'drain', 'five', '--undo'])).stdout, /takes new accounts again/);
  assert.is(String(await stateOfFive()), 'up,1');
  assert.match(
    await refusal(one.data, ['fleet', 'invite', '--name', 'five']),
    /there is a node five in the fleet already/,
  );
  await drainsByApi(server, token, customer);
  assert.is((await create('eve')).status, 201);
  const { store } = server.hostkeep.core;
  await server.hostkeep.plugins.close(); // no heartbeat comes after this
  await store.write((tx) => tx.run('update fleet_heartbeats set seen_at = seen_at - 60000'));
  await server.close();
  assert.match(await refusal(five.data, ['fleet', 'leave', '--yes']), /2 accounts live here/);
  assert.match(await refusal(one.data, ['fleet', 'remove', 'one', '--yes']), /this node is one/);
  assert.match(await refusal(one.data, ['fleet', 'remove', 'nine', '--yes']), /there is no node nine/);
  assert.match(await refusal(one.data, ['fleet', 'remove', 'five', '--yes']), /2 accounts live on five/);
  const { code, stdout } = await fleet.run(one.data, ['fleet', 'remove', 'five', '--yes', '--force']);
  assert.is(code, 0);
  assert.match(stdout, /accounts that still have their home there: 2;/);
  await fleet.join(one, 'five');
  const left = await fleet.run(five.data, ['fleet', 'leave', '--yes']);
  assert.equal([left.code, left.stderr], [0, ''], 'a node that was removed leaves');
  assert.ok(
    (await listed()).some(({ name }) => name === 'five'),
    'and takes no node with it that has its name now',
  );
  assert.is((await fleet.run(one.data, ['fleet', 'remove', 'five', '--yes', '--force'])).code, 0);
});

/** As the command does, with who did it and from where in the event log. */
async function drainsByApi(server: TestServer, token: string, customer: string): Promise<void> {
  const send = (name: string, method: string, by = token) =>
    server.ask(`/api/fleet/${name}/drain`, { address: 'admin', token: by, method });
  for (const method of ['PUT', 'DELETE']) {
    assert.is((await send('five', method, '')).status, 401);
    assert.is((await send('five', method, customer)).status, 401);
    const { status, body } = await send('nine', method);
    assert.equal([status, body['error']], [404, 'node_not_found']);
  }
  const last = await server.hostkeep.core.events.lastId();
  for (const method of ['PUT', 'PUT', 'DELETE', 'DELETE']) {
    const { status, body } = await send('five', method);
    assert.equal([status, body['name'], body['state']], [200, 'five', method === 'PUT' ? 'draining' : 'up']);
  }
  const events = await server.hostkeep.core.events.after(last, 9);
  assert.equal(
    events.map(({ type, username, ip, node, data }) => [type, username, ip, node, data]),
    ['fleet.drained', 'fleet.undrained'].map((type) => [type, 'operator', '127.0.0.1', 'five', { node: 'five' }]),
    'only what changed something is an event',
  );
}

test('nodes leave; the last one is a node by itself again, with its accounts and keys', async () => {
  const three = await fleet.join(one, 'three');
  assert.match(await refusal(one.data, ['fleet', 'leave', '--yes']), /accounts live here/);
  assert.is((await fleet.run(three.data, ['fleet', 'leave', '--yes'])).code, 0);
  assert.not.ok(existsSync(join(three.data, 'keys.json')));
  assert.is(readMembership(three.data), undefined);
  const { code, stderr } = await fleet.run(one.data, ['fleet', 'remove', 'two', '--yes']);
  assert.is(code, 0, stderr);
  assert.match((await fleet.run(one.data, ['fleet', 'leave', '--yes'])).stdout, /was the last one/);
  const { stdout: log } = await fleet.run(one.data, ['events', '--type', 'fleet.*', '--since', '1h', '--json']);
  const events = JSON.parse(log) as { type: string; data: Record<string, unknown> }[];
  const kinds = ['begun', 'drained', 'invited', 'joined', 'left', 'removed', 'undrained'].map(
    (each) => `fleet.${each}`,
  );
  assert.equal([...new Set(events.map(({ type }) => type))].toSorted(), kinds);
  assert.equal(events.find(({ type }) => type === 'fleet.removed')?.data, { node: 'lost', accounts: 0 });
  assert.equal(events.at(-1)?.data, { node: 'one' });
  assert.is(readMembership(one.data), undefined);
  assert.match((await fleet.run(one.data, ['account', 'list'])).stdout, /^ann /m);
  assert.match(await refusal(one.data, ['fleet', 'invite']), /belongs to no fleet/);
});
