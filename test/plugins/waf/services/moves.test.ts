/** What the firewall found goes with its account to another node of a fleet, by the command that operators use. */
import * as assert from '../../../support/assert.ts';
import { addRequests } from '../../../../plugins/waf/store.ts';
import { domainOwner } from '../../../support/domain-owner.ts';
import { TestFleet } from '../../../support/fleet.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';

await needs('domains', 'fleet', 'moves');
const test = testSuite('waf: moves in a fleet');
const FOUND = { at: 1, ip: '192.0.2.7', method: 'GET', status: 403, isBlocked: true, rules: [] };

test('the new home lists what the old one has found', async () => {
  const { fleet, one, two } = await TestFleet.pair('waf_moves');
  const first = await fleet.serve(one);
  const second = await fleet.serve(two);
  await fleet.areUp(one);
  const { account, token, domain } = await domainOwner(first, 'ann');
  const { local, store } = first.hostkeep.core;
  const domainId = (await store.get<{ id: number }>('select id from domains'))?.id ?? 0;
  const requests = ['/one', '/two'].map((uri) => ({ ...FOUND, uri }));
  await local.write((tx) => addRequests(tx, { domainId, accountId: account.id }, requests));
  const { code, stdout, stderr } = await fleet.run(one.data, ['account', 'move', 'ann', '--to', 'two']);
  assert.is(code, 0, stderr);
  assert.not.match(stdout + stderr, /stay behind/);
  const { body } = await second.ask<{ requests: { uri: string }[] }>(`/api/site-firewall/${domain}/requests`, {
    token,
  });
  assert.equal(
    body.requests.map(({ uri }) => uri),
    ['/two', '/one'],
  );
  assert.equal(await local.all('select 1 from waf_requests'), [], 'the old home has none');
});
