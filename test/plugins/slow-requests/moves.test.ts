/** What was slow at sites of an account goes with it to another node. */
import * as assert from '../../support/assert.ts';
import slowRequests from '../../../plugins/slow-requests/index.ts';
import { addRequests, sumsAfter } from '../../../plugins/slow-requests/store.ts';
import { codeOf } from '../../support/code-of.ts';
import { MoveEnds, type MoveEnd } from '../../support/move-ends.ts';
import { needs } from '../../support/needs.ts';
import { testSuite } from '../../support/suite.ts';

const [domains, logs] = await needs('domains', 'logs');
const test = testSuite('slow requests: moves');
const DAY_MS = 86_400_000;

let ends: MoveEnds;
test.before(async () => void (ends = await MoveEnds.start([domains, logs, slowRequests], 'slow-requests')));

/** Returns what the API lists. */
const paths = async ({ asks }: MoveEnd) =>
  ((await asks('GET /api/slow-requests?limit=200&sort=slowest', 200)) as { paths: Record<string, unknown>[] }).paths;
const rows = ({ server, account }: MoveEnd) => sumsAfter(server.hostkeep.core.local, account.id, undefined, 1000);
const keep = ({ server, account }: MoveEnd, count: number, days = 0) =>
  server.hostkeep.core.local.write((tx) =>
    addRequests(
      tx,
      Array.from({ length: count }, (_, i) => ({
        ...{ accountId: account.id, domainId: ends.domainId, at: Date.now() - days * DAY_MS },
        ...{ tookMs: 2000 + i, method: 'GET', path: `/${i}?q=${days}`, status: 200 },
      })),
    ),
  );

test('what another node sends is checked, and nothing is taken for a site of others', async () => {
  await keep(ends.here, 1);
  const [row] = await rows(ends.here);
  for (const wrong of [
    { day: '1' },
    { lastAt: 8.64e15 + 1 },
    { requests: 0 },
    { path: 'x'.repeat(301) },
    { slowest: { at: 1, query: 'x'.repeat(501), status: 200 } },
    { slowest: { at: -1, query: '', status: 200 } },
    { more: 1 },
  ])
    assert.is(await codeOf(ends.arrive('rows', JSON.stringify([{ ...row, ...wrong }]))), 'invalid_request');
  await ends.arrive('rows', JSON.stringify([{ ...row, domainId: ends.domainId + 1 }]));
  assert.equal(await rows(ends.there), []);
});

test('whatever account another node names, rows are of the one that moves', async () => {
  const [row] = await rows(ends.here);
  await ends.arrive('rows', JSON.stringify([{ ...row, accountId: ends.there.account.id + 1 }]));
  assert.is((await rows(ends.there)).length, 1);
  await ends.there.mover.discard(ends.there.account);
  assert.equal(await rows(ends.there), []);
});

test('all days and paths arrive, and go at the old home', async () => {
  for (const days of [0, 1, 2]) await keep(ends.here, 120, days);
  const [listed, kept] = [await paths(ends.here), await rows(ends.here)];
  assert.equal([listed.length, kept.length], [120, 360]);
  await ends.move();
  assert.equal([await paths(ends.there), await rows(ends.there)], [listed, kept]);
  assert.equal(await rows(ends.here), []);
});
