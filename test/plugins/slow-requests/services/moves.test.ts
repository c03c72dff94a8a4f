/** What was slow goes with its account to another node of a fleet, by the command that operators use. */
import * as assert from '../../../support/assert.ts';
import { addRequests } from '../../../../plugins/slow-requests/store.ts';
import { domainOwner } from '../../../support/domain-owner.ts';
import { TestFleet } from '../../../support/fleet.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';

await needs('domains', 'fleet', 'moves');
const test = testSuite('slow requests: moves in a fleet');

test('the new home lists what was slow at the old one', async () => {
  const { fleet, one, two } = await TestFleet.pair('slow_moves');
  const first = await fleet.serve(one);
  const second = await fleet.serve(two);
  await fleet.areUp(one);
  const { account, token } = await domainOwner(first, 'ann');
  const { local, store } = first.hostkeep.core;
  const domainId = (await store.get<{ id: number }>('select id from domains'))?.id ?? 0;
  const slow = { accountId: account.id, domainId, at: Date.now(), tookMs: 3000, method: 'GET', status: 200 };
  await local.write((tx) => addRequests(tx, [{ ...slow, path: '/search?q=1' }]));
  const { code, stdout, stderr } = await fleet.run(one.data, ['account', 'move', 'ann', '--to', 'two']);
  assert.is(code, 0, stderr);
  assert.not.match(stdout + stderr, /stay behind/);
  const { body } = await second.ask<{ paths: { path: string; slowest_query: string }[] }>('/api/slow-requests', {
    token,
  });
  assert.equal(
    body.paths.map(({ path, slowest_query: query }) => [path, query]),
    [['/search', 'q=1']],
  );
  assert.equal(await local.all('select 1 from slow_requests'), [], 'the old home has none');
});
