import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { LogFilter } from '../../../plugins/logs/site-logs/filter.ts';
import { trim } from '../../../plugins/logs/site-logs/retention.ts';
import { SiteFolders } from '../../../plugins/logs/site-logs/segments.ts';
import { tail } from '../../../plugins/logs/site-logs/tail.ts';
import { SiteWriter } from '../../../plugins/logs/site-logs/writer.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('log-tail');
const ANY = { text: '', status: '', method: '' };
const SITE = { domainId: 7, accountId: 1, createdAt: 0 };

const line = (n: number, { status = 200, method = 'GET' } = {}) =>
  `10.0.0.1 - - [24/Nov/2026:16:${String(n % 60).padStart(2, '0')}:00 +0000] "${method} /page-${n} HTTP/1.1" ${status} 5 "-" "x"`;

/** A site with files of lines, the oldest first. */
function site(...files: (readonly string[])[]): SiteFolders {
  const root = temporaryFolder();
  mkdirSync(join(root, '7'));
  for (const [i, lines] of files.entries())
    writeFileSync(join(root, '7', `access.${i + 1}.log`), lines.map((each) => `${each}\n`).join(''));
  return new SiteFolders(root);
}

const read = async (folders: SiteFolders, query: object = {}, { limit = 100, cursor = '' } = {}) => {
  const { lines, next } = await tail(
    folders,
    { domainId: 7, kind: 'access', filter: new LogFilter({ ...ANY, ...query }) },
    { limit, cursor },
  );
  return { paths: lines.map(({ path }) => path), next };
};

async function readAll(folders: SiteFolders, query: object, limit: number): Promise<(string | null)[]> {
  const all: (string | null)[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Awaited<ReturnType<typeof read>> = await read(folders, query, { limit, cursor });
    all.push(...page.paths);
    cursor = page.next;
  }
  return all;
}

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

test('pages of any size hold each line of all files once, the newest first', async () => {
  const folders = site(
    range(1, 5).map((n) => line(n)),
    [],
    range(6, 20).map((n) => line(n)),
  );
  const all = range(1, 20)
    .toReversed()
    .map((n) => `/page-${n}`);
  for (const limit of [1, 3, 5, 15, 20, 100]) assert.equal(await readAll(folders, {}, limit), all, `pages of ${limit}`);
  assert.equal(await read(site(), {}), { paths: [], next: null });
});

test('lines are taken by text, status, method and time', async () => {
  const folders = site([
    line(1),
    line(2, { status: 404 }),
    line(3, { method: 'POST' }),
    line(4, { status: 500, method: 'POST' }),
    line(5, { status: 403 }),
  ]);
  const found = async (query: object) => (await read(folders, query)).paths;
  assert.equal(await found({ text: 'PAGE-3' }), ['/page-3']);
  assert.equal(await found({ status: '4xx' }), ['/page-5', '/page-2']);
  assert.equal(await found({ status: '500', method: 'POST' }), ['/page-4']);
  assert.equal(await found({ since: '2026-11-24T16:04:00Z' }), ['/page-5', '/page-4']);
  assert.equal(await found({ text: '.*' }), []);
});

// threat oversized-replies: a log of any size is read in parts, each bounded in bytes and time
test('of a log with a million lines, a request reads a part', async () => {
  const folders = site(range(1, 1_000_000).map((n) => line(n)));
  const started = performance.now();
  assert.equal((await read(folders, {}, { limit: 2 })).paths, ['/page-1000000', '/page-999999']);
  assert.ok(performance.now() - started < 1000);
  const { paths, next } = await read(folders, { text: '/page-1 ' });
  assert.equal(paths, []);
  assert.is.not(next, null);
  assert.ok(Number(next?.split('.')[1]) > 60 << 20, `${next}`);
});

test('what a killed process wrote and had not stored is written over', async () => {
  const folders = new SiteFolders(temporaryFolder());
  const first = new SiteWriter(folders, []);
  await first.append(SITE, 'access', [line(1)]);
  const stored = first.takeChanged();
  await first.append(SITE, 'access', [line(2), line(3)]);
  const second = new SiteWriter(folders, stored);
  await second.append(SITE, 'access', [line(2)]);
  assert.equal((await read(folders)).paths, ['/page-2', '/page-1']);
});

test('a file is ended by size, and the oldest are removed by size and age', async () => {
  const folders = new SiteFolders(temporaryFolder());
  const writer = new SiteWriter(folders, []);
  for (let n = 1; n <= 6; n++) {
    await writer.append(SITE, 'access', [line(n)]);
    writer.rotate(writer.takeChanged(), () => 50);
  }
  const bytes = line(1).length + 1;
  assert.is((await folders.segments(7, 'access')).length, 6);
  await trim(folders, 7, { bytes: bytes * 3, days: 1 });
  assert.equal((await read(folders)).paths, ['/page-6', '/page-5', '/page-4']);
  await trim(folders, 7, { bytes: 1, days: 0 });
  assert.equal((await read(folders)).paths, ['/page-6'], 'never the newest');
});
