import * as assert from '../../support/assert.ts';
import { fillDemo } from '../../../plugins/logs/demo.ts';
import { LogFilter } from '../../../plugins/logs/site-logs/filter.ts';
import { SiteFolders } from '../../../plugins/logs/site-logs/segments.ts';
import { tail } from '../../../plugins/logs/site-logs/tail.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('logs: demo');

test('sites of the demo have two weeks of requests, which are read as such', async () => {
  const now = Date.UTC(2026, 10, 24, 12);
  const folders = new SiteFolders(temporaryFolder());
  const host = { peer: () => ({ list: () => [{ id: 3 }, { id: 8 }] }) } as never;
  await fillDemo(host, folders, { demo: { id: 1 }, now } as never);
  const read = (domainId: number, text = '') =>
    tail(
      folders,
      { domainId, kind: 'access', filter: new LogFilter({ text, status: '', method: '' }) },
      { limit: 1000, cursor: '' },
    );
  const { lines } = await read(3);
  assert.equal(
    lines.filter(({ at, ip, path, status, agent }) => !(at && ip && path && status && agent)),
    [],
  );
  const times = lines.map(({ at }) => Date.parse(at ?? '')).toReversed();
  assert.equal(
    times,
    times.toSorted((a, b) => a - b),
  );
  assert.ok((times.at(-1) ?? 0) <= now);
  assert.ok((times[0] ?? now) < now - 7 * 24 * 3_600_000, 'more than a week');
  assert.ok((await read(8)).lines.length < lines.length);
});
