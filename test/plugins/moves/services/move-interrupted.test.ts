/** A move that is interrupted at each of its steps: the old home goes on, and the same command again finishes it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { addMove } from '../../../../plugins/moves/rows.ts';
import { start } from '../../../support/command.ts';
import { killedAfter, runEnded, TestFleet, type FleetMember } from '../../../support/fleet.ts';
import type { TestServer } from '../../../support/hostkeep.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const test = testSuite('interrupted moves');
/** So many bytes that a move can be interrupted while they are copied. */
const LARGE_BYTES = 128 << 20;
let fleet: TestFleet;
let [one, two] = [] as unknown as [FleetMember, FleetMember];
let [first, second] = [] as unknown as [TestServer, TestServer];

test.before(async () => {
  ({ fleet, one, two } = await TestFleet.pair('interrupted'));
  first = await fleet.serve(one);
  second = await fleet.serve(two);
  await fleet.areUp(one);
});

const filesOf = (at: FleetMember, name: string) => join(at.data, 'files', name);
const homeOf = async (name: string) => (await first.hostkeep.core.accounts.get(name)).home;
const stateOf = async (name: string) =>
  (await first.hostkeep.core.store.get<{ state: string }>('select state from moves where username = ?', name))?.state;
const move = (name: string, ...more: readonly string[]) =>
  fleet.run(one.data, ['account', 'move', name, ...(more.length > 0 ? more : ['--to', 'two'])]);

async function customer(name: string, bytes = 1000): Promise<string> {
  const { token } = await first.user(name);
  mkdirSync(filesOf(one, name), { recursive: true });
  writeFileSync(join(filesOf(one, name), 'kept'), 'kept');
  writeFileSync(join(filesOf(one, name), 'large'), Buffer.alloc(bytes, 1));
  return token;
}

const addDomain = (node: TestServer, token: string, domain_url: string) =>
  node.ask('/api/domains/new', { token, method: 'POST', body: { domain_url } });

/** Starts the command, and kills it without a word in a state, once `isSo`; it is stopped there `meanwhile`. */
async function killedIn(
  state: string,
  name: string,
  meanwhile: () => Promise<void> = async () => {},
  isSo = () => true,
): Promise<void> {
  const { child } = await start(one.data, ['account', 'move', name, '--to', 'two'], /^/, {
    HOSTKEEP_STORE_URL: fleet.url,
  });
  await until(`the move of ${name} is in the state ${state}`, async () => (await stateOf(name)) === state && isSo());
  await killedAfter(first.hostkeep.core, name, child, async () => {
    await meanwhile();
    assert.is(await stateOf(name), state, 'it was interrupted in time');
  });
}

/** Runs the command once the run before counts as ended. */
async function finish(name: string): Promise<void> {
  let last = '';
  await runEnded(first.hostkeep.core, name);
  await until(`the move of ${name} is finished`, async () => {
    const { code, stderr } = await move(name);
    last = stderr;
    if (code !== 0) assert.match(stderr, /is being moved, or was a moment ago/);
    return code === 0;
  }).catch((error: unknown) => assert.unreachable(`${String(error)}: ${last}`));
  assert.is(await homeOf(name), 'two');
  assert.is(readFileSync(join(filesOf(two, name), 'kept'), 'utf8'), 'kept');
  assert.not(existsSync(filesOf(one, name)));
  assert.is(await stateOf(name), undefined);
}

test('killed before or while files are copied: a second run moves the account', async () => {
  const token = await customer('ann', LARGE_BYTES);
  await killedIn('begun', 'ann');
  assert.is((await addDomain(first, token, 'ann.example')).status, 201);
  await runEnded(first.hostkeep.core, 'ann');
  const isRefused = async () => {
    const { code, stderr } = await move('ann');
    assert.is(code, 1);
    assert.match(stderr, /is being moved/);
  };
  const filesArrive = () => existsSync(filesOf(two, 'ann'));
  await killedIn('copying', 'ann', isRefused, filesArrive);
  assert.is(await homeOf('ann'), 'one');
  assert.is((await addDomain(second, token, 'ann2.example')).status, 201);
  writeFileSync(join(filesOf(one, 'ann'), 'later'), 'later');
  await finish('ann');
  assert.is(readFileSync(join(filesOf(two, 'ann'), 'later'), 'utf8'), 'later');
});

test('killed while read-only: changes are refused, then possible again', async () => {
  const token = await customer('ben');
  await killedIn('read_only', 'ben', async () => {
    for (const node of [first, second])
      await until('changes are refused', async () => {
        const { status, body, headers } = await addDomain(node, token, 'ben.example');
        return status === 503 && body['error'] === 'account_moving' && headers.get('retry-after') === '5';
      });
    assert.is((await second.ask('/api/folders', { token })).status, 200);
    const { code, stderr } = await fleet.run(one.data, ['account', 'remove', 'ben', '--yes']);
    assert.is(code, 1);
    assert.match(stderr, /takes its last differences/);
  });
  await until('changes are possible', async () => (await addDomain(second, token, 'ben.example')).status === 201);
  assert.is(await homeOf('ben'), 'one');
  const undone = await move('ben', '--undo');
  assert.is(undone.code, 0, undone.stderr);
  assert.not(existsSync(filesOf(two, 'ben')));
  assert.is(readFileSync(join(filesOf(one, 'ben'), 'kept'), 'utf8'), 'kept');
  await finish('ben');
});

test("a removed account's name stays reserved while a move left something", async () => {
  const { account } = await first.user('eve');
  const { store } = first.hostkeep.core;
  const left = { username: 'eve', accountId: account.id, source: 'one', target: 'two', claim: '1:1 ended' } as const;
  await store.write((tx) => addMove(tx, { ...left, state: 'copying' }));
  mkdirSync(filesOf(two, 'eve'), { recursive: true });
  writeFileSync(join(filesOf(two, 'eve'), 'secret'), 'of eve');
  const run = (...args: readonly string[]) => fleet.run(one.data, ['account', ...args]);
  assert.is((await run('remove', 'eve', '--yes')).code, 0);
  const kept = await run('purge', 'eve', '--yes');
  assert.is(kept.code, 1);
  assert.match(
    kept.stdout + kept.stderr,
    /may have left files at two: run `hostkeep account move eve --undo` at one/,
    JSON.stringify(kept),
  );
  await runEnded(first.hostkeep.core, 'eve');
  const undone = await move('eve', '--undo');
  assert.is(undone.code, 0, undone.stderr);
  assert.not(existsSync(filesOf(two, 'eve')));
  const purged = await run('purge', 'eve', '--yes');
  assert.is(purged.code, 0, JSON.stringify(purged));
});

test('killed after the switch: the new home goes on and late writes are kept', async () => {
  const token = await customer('cat');
  await killedIn('switched', 'cat');
  assert.is(await homeOf('cat'), 'two');
  assert.is((await addDomain(first, token, 'cat.example')).status, 201);
  writeFileSync(join(filesOf(one, 'cat'), 'late'), 'late');
  await runEnded(first.hostkeep.core, 'cat');
  await until('the late file is found', async () => {
    const { code, stdout, stderr } = await move('cat');
    assert.is(code, 1);
    return /something wrote to .*late/s.test(stdout + stderr);
  });
  assert.ok(existsSync(join(filesOf(one, 'cat'), 'late')));
  const { code, stderr } = await move('cat', '--to', 'two', '--force');
  assert.is(code, 0, stderr);
  assert.not(existsSync(filesOf(one, 'cat')));
  assert.is(await stateOf('cat'), undefined);
});
