import { readFileSync } from 'node:fs';
import * as assert from '../support/assert.ts';
import { codeOf } from '../support/code-of.ts';
import { TestServer } from '../support/hostkeep.ts';
import { testSuite } from '../support/suite.ts';
import { pick } from '../support/lists.ts';

const test = testSuite('removed-accounts');
let server: TestServer;
test.before(async () => void (server = await TestServer.start({ plugins: [] })));

const BY = { username: 'root', ip: '' };
const create = (username: string) => codeOf(server.account(username));
const accounts = () => server.hostkeep.core.accounts;

// threat reused-names: the name of a removed account stays reserved until the account is purged
test('the name of a removed account is reserved until it is purged', async () => {
  const { id } = await server.account('ann');
  await accounts().remove('ann');
  assert.is(await create('ann'), 'name_reserved');
  assert.equal(pick(await accounts().removed.list(), 'username'), ['ann']);
  const claimed = await accounts().removed.claim('ann');
  assert.equal([claimed.id, claimed.username], [id, 'ann']);
  assert.is(await create('ann'), 'name_reserved');
  await accounts().removed.release(claimed, BY);
  assert.is(await codeOf(accounts().removed.claim('ann')), 'account_not_found');
  assert.is(await create('ann'), 'done');
});

test('one attempt at a time purges an account, unless its process has ended', async () => {
  await server.account('claimed');
  await accounts().remove('claimed');
  const { store } = server.hostkeep.core;
  const setHolder = (holder: string) =>
    store.write((tx) =>
      tx.run(
        `insert into leases (name, holder, ttl_ms, until) values ('purge claimed', ?, 60000, ${store.nowMs} + 60000)
          on conflict (name) do update set holder = excluded.holder`,
        holder,
      ),
    );
  const stat = readFileSync('/proc/1/stat', 'utf8');
  await setHolder(` 1:${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]} x`);
  assert.is(await codeOf(accounts().removed.claim('claimed')), 'purge_in_progress');
  await setHolder(' 1:1 x');
  const claimed = await accounts().removed.claim('claimed');
  assert.is(await codeOf(accounts().removed.claim('claimed')), 'purge_in_progress');
  await setHolder('of another');
  assert.is(await codeOf(accounts().removed.release(claimed, BY)), 'purge_in_progress');
  await claimed.lease.release();
  assert.is(await codeOf(accounts().removed.claim('claimed')), 'purge_in_progress');
  await setHolder(claimed.lease.holder);
  await store.write((tx) => claimed.lease.release(tx));
  assert.is(await create('claimed'), 'name_reserved');
});

// threat reused-names: no name extends another by an underscore, because databases are owned by prefix
test('no name extends another by an underscore, removed accounts included', async () => {
  for (const name of ['eve', 'zoe_b_c']) assert.is(await create(name), 'done');
  for (const name of ['eve_', 'eve_b', 'eve_b_c', 'zoe_b', 'zoe'])
    assert.is(await create(name), 'ambiguous_username', name);
  await accounts().remove('eve');
  await accounts().remove('zoe_b_c');
  for (const name of ['eve_b', 'zoe_b', 'zoe']) assert.is(await create(name), 'ambiguous_username', name);
  for (const name of ['eveb', 'eve-b', 'ev', 'zoe_c', 'zoe-b', 'zo']) assert.is(await create(name), 'done', name);
  assert.is(await create('eve'), 'name_reserved');
});

test('of names that exclude each other, created at once, one is', async () => {
  const results = await Promise.all(['race', 'race_a', 'race_a_b', 'race'].map(create));
  assert.is(results.filter((result) => result === 'done').length, 1, results.join(' '));
});
