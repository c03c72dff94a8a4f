/** A move while a process at one of its ends is frozen, so that connections stay open, and nothing comes: it ends, and the next one goes on. */
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { addMove } from '../../../../plugins/moves/rows.ts';
import { start } from '../../../support/command.ts';
import { TestFleet, type FleetMember } from '../../../support/fleet.ts';
import type { TestServer } from '../../../support/hostkeep.ts';
import type { NodeProcess } from '../../../support/node-process.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const test = testSuite('moves to a frozen node');
let fleet: TestFleet;
let [one, two] = [] as unknown as [FleetMember, FleetMember];
let first: TestServer;
let second: NodeProcess;

test.before(async () => {
  ({ fleet, one, two } = await TestFleet.pair('frozen'));
  first = await fleet.serve(one);
  second = await fleet.start(two);
  await fleet.areUp(one);
});

const move = (name: string) => fleet.run(one.data, ['account', 'move', name, '--to', 'two']);
const stateOf = async (name: string) =>
  (await first.hostkeep.core.store.get<{ state: string }>('select state from moves where username = ?', name))?.state;

async function customer(name: string): Promise<string> {
  const { token } = await first.user(name);
  mkdirSync(join(one.data, 'files', name), { recursive: true });
  writeFileSync(join(one.data, 'files', name, 'kept'), 'kept');
  return token;
}

async function assertMoves(name: string): Promise<void> {
  let last = '';
  await until(`${name} has moved`, async () => {
    const { code, stderr } = await move(name);
    last = stderr;
    return code === 0;
  }).catch((error: unknown) => assert.unreachable(`${String(error)}: ${last}`));
  assert.is((await first.hostkeep.core.accounts.get(name)).home, 'two');
  assert.is(readFileSync(join(two.data, 'files', name, 'kept'), 'utf8'), 'kept');
}

test('a node freezes during the last differences: the account stays and works', async () => {
  const token = await customer('ann');
  const moving = move('ann');
  await until('nothing may change', async () => (await stateOf('ann')) === 'read_only');
  second.child.kill('SIGSTOP');
  try {
    const { code, stderr } = await moving;
    assert.is(code, 1, stderr);
    assert.match(stderr, /the node two cannot be reached.*two keeps what it has got/s);
    const added = await first.ask('/api/domains/new', { token, method: 'POST', body: { domain_url: 'ann.example' } });
    assert.is(added.status, 201);
    assert.is((await first.hostkeep.core.accounts.get('ann')).home, 'one');
  } finally {
    second.child.kill('SIGCONT');
  }
  await fleet.areUp(one);
  await assertMoves('ann');
});

test('a run that is interrupted does not wait for a target that is frozen', async () => {
  await customer('cleo');
  const { child } = await start(one.data, ['account', 'move', 'cleo', '--to', 'two'], /^/, {
    HOSTKEEP_STORE_URL: fleet.url,
  });
  await until('nothing may change', async () => (await stateOf('cleo')) === 'read_only');
  second.child.kill('SIGSTOP');
  try {
    const interruptedAt = performance.now();
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number | null];
    assert.is(code, 1);
    assert.ok(performance.now() - interruptedAt < 10_000, `${performance.now() - interruptedAt} ms`);
    assert.is(await stateOf('cleo'), 'copying');
  } finally {
    second.child.kill('SIGCONT');
  }
  await fleet.areUp(one);
  await assertMoves('cleo');
});

test('a run that stalls after a part gives way to the next one', async () => {
  await customer('ben');
  const { store, accounts } = first.hostkeep.core;
  const own = first.hostkeep.node.fleet?.membership();
  assert.ok(own);
  const begun = { username: 'ben', source: 'one', target: 'two', state: 'begun', claim: 'silent' } as const;
  const { id: accountId } = await accounts.get('ben');
  await store.write((tx) => addMove(tx, { ...begun, accountId }));
  const silent = request(`https://${two.address}/begin?username=ben&claim=silent`, {
    ...{ ca: own.ca, cert: own.certificate, key: own.key, servername: 'direct.two.fleet.hostkeep' },
    checkServerIdentity: () => undefined, // no certificate names it
    method: 'POST',
    agent: false,
    headers: { 'content-length': 100, expect: '100-continue' },
  });
  silent.on('error', () => undefined).flushHeaders();
  await once(silent, 'continue');
  silent.write('{');
  const ended = new Promise((resolve) => silent.once('close', resolve));
  await assertMoves('ben');
  await ended;
});
