/** What the firewall found at sites of an account goes with it to another node. */
import * as assert from '../../support/assert.ts';
import { HttpError } from '../../../kernel/errors.ts';
import waf from '../../../plugins/waf/index.ts';
import { addRequests } from '../../../plugins/waf/store.ts';
import { codeOf } from '../../support/code-of.ts';
import { MoveEnds, type MoveEnd } from '../../support/move-ends.ts';
import { needs } from '../../support/needs.ts';
import { testSuite } from '../../support/suite.ts';

const [domains] = await needs('domains');
const test = testSuite('waf: moves');
const RULE = { id: 942_100, message: 'SQL injection', tags: ['attack-sqli'] };
const FOUND = { at: 1, ip: '192.0.2.7', method: 'GET', uri: '/', status: 403, isBlocked: true, rules: [RULE] };

let ends: MoveEnds;
test.before(async () => void (ends = await MoveEnds.start([domains, waf], 'waf')));

const uris = async ({ asks }: MoveEnd) => {
  const { requests } = (await asks('GET /api/site-firewall/ann.example/requests?limit=200', 200)) as {
    requests: { uri: string; rules: unknown[] }[];
  };
  for (const { rules } of requests) assert.equal(rules, [RULE]);
  return requests.map(({ uri }) => uri);
};
const keep = ({ server, account }: MoveEnd, paths: readonly string[]) =>
  server.hostkeep.core.local.write((tx) =>
    addRequests(
      tx,
      { domainId: ends.domainId, accountId: account.id },
      paths.map((uri) => ({ ...FOUND, uri })),
    ),
  );

test('what another node sends is checked, and nothing is taken for a site of others', async () => {
  const row = { id: 1, domainId: ends.domainId, ...FOUND };
  for (const wrong of [
    { at: 8.64e15 + 1 },
    { uri: 'x'.repeat(2049) },
    { isBlocked: 1 },
    { rules: [{ ...RULE, more: 1 }] },
    { rules: Array.from({ length: 21 }, () => RULE) },
    { rules: [{ ...RULE, tags: ['x'.repeat(65)] }] },
    { more: 1 },
  ])
    assert.is(await codeOf(ends.arrive('rows', JSON.stringify([{ ...row, ...wrong }]))), 'invalid_request');
  assert.is(
    await codeOf(ends.arrive('rows', JSON.stringify(Array.from({ length: 101 }, () => row)))),
    'invalid_request',
  );
  assert.is(await codeOf(ends.arrive('another', '[]')), 'not_found');
  await ends.arrive('rows', JSON.stringify([{ ...row, domainId: ends.domainId + 1 }]));
  const { local } = ends.there.server.hostkeep.core;
  assert.equal(await local.all('select 1 from waf_requests'), []);
});

test('a failure at the new home ends the move, but for a firewall that is off there', async () => {
  await keep(ends.here, ['/kept']);
  const failing = (code: string) => () => Promise.reject(new HttpError(code, 'two: why'));
  assert.is(await codeOf(ends.move(failing('node_unreachable'))), 'node_unreachable');
  assert.equal([await uris(ends.here), ends.said], [['/kept'], []]);
  await ends.move(failing('move_refused'));
  assert.equal(ends.said, ['its requests that the firewall found stay behind: two: why']);
  assert.equal(await uris(ends.here), []);
});

test('all requests arrive in their order, and go at the old home', async () => {
  const paths = Array.from({ length: 150 }, (_, i) => `/${i}`);
  await keep(ends.here, paths);
  await ends.move();
  assert.equal([await uris(ends.there), await uris(ends.here)], [paths.toReversed(), []]);
  await keep(ends.there, ['/newer']);
  assert.is((await uris(ends.there))[0], '/newer');
  await ends.there.mover.discard(ends.there.account);
  assert.equal(await uris(ends.there), []);
});
