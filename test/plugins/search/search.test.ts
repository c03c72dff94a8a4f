import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as assert from '../../support/assert.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { Locales } from '../../../kernel/config/locales.ts';
import { definePlugin } from '../../../kernel/contract/plugin.ts';
import search from '../../../plugins/search/index.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { eventually } from '../../support/until.ts';
import { assertNone, pick } from '../../support/lists.ts';

const ROOT = '/var/www/html';
const sites = new Map<number, { site: string; type: string }[]>();
/** Stands in for the plugin that finds websites. */
const fakeWebsites = definePlugin({
  name: 'websites',
  features: ['websites'],
  routes: {},
  setup: () => ({ handlers: {}, provides: { sites: ({ id }) => sites.get(id) ?? [] } }),
});
const fakeFiles = definePlugin({
  name: 'files',
  features: ['filemanager'],
  routes: {},
  setup: () => ({ handlers: {}, provides: { featureLinks: () => ({ filemanager: '/files' }) } }),
});

type FileHit = { path: string; size: number; modified: string };

const test = testSuite('search');
let server: TestServer;
const start = (options: Record<string, unknown> = {}, data?: string) =>
  TestServer.start({
    plugins: [fakeWebsites, fakeFiles, search],
    config: { search: options, external_features: ['domains', 'login_history'] },
    ...(data === undefined ? {} : { data }),
  });
test.before(async () => void (server = await start()));
test.after(() => server.close());

function write({ filesRoot }: Account, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(filesRoot, path)), { recursive: true });
    writeFileSync(join(filesRoot, path), text);
  }
}

/** Paths of hits below the virtual root. */
async function paths(
  token: string,
  query: string,
  { kind = 'files', from = server }: { kind?: 'files' | 'folders'; from?: TestServer } = {},
): Promise<string[]> {
  const { status, body } = await from.ask<{ path: string }[]>(`/api/search/${kind}?${query}`, { token });
  assert.is(status, 200, JSON.stringify(body));
  return body.map(({ path }) => path.slice(ROOT.length + 1));
}

/** Waits until searches of an account are answered from its index. */
async function indexed(token: string, from = server): Promise<void> {
  await eventually(
    'the index is ready',
    () => from.ask('/api/search/files?limit=1', { token }),
    ({ headers }) => headers.get('x-hostkeep-index') === 'ready',
  );
}

async function metric(name: string, from = server): Promise<number> {
  const metrics = await from.gathered('metrics');
  return metrics.find((each) => each.name === `hostkeep_search_${name}`)?.samples[0]?.value ?? Number.NaN;
}

test('accounts without both features and bad input are refused', async () => {
  const { token } = await server.user('refused');
  const { accounts } = server.hostkeep.core;
  for (const query of [
    'files?limit=0',
    'files?limit=1001',
    'folders?limit=x',
    `features?q=${'a'.repeat(256)}`,
    `files?ext=${'a'.repeat(65)}`,
    'files?ext=a%2Fb',
    'files?q=a&q=b',
    'files?q=%ff',
  ]) {
    assert.is((await server.ask(`/api/search/${query}`, { token })).status, 400, query);
  }
  for (const folder of ['../other', '/etc', `${ROOT}/..`, 'a%00b', 'a/%2e%2e/b', `${ROOT}x`]) {
    const { status, body } = await server.ask(`/api/search/files?folder=${folder}`, { token });
    assert.is(status, 400, folder);
    assert.is(body['error'], 'invalid_path');
  }
  await accounts.setFeature('refused', 'filemanager', false);
  for (const kind of ['files', 'folders'])
    assert.is((await server.ask(`/api/search/${kind}?q=a`, { token })).body['feature'], 'filemanager');
  assert.is((await server.ask('/api/search/features?q=a', { token })).status, 200);
});

test('an account without files finds nothing, and a missing folder is 404', async () => {
  const { token } = await server.user('empty');
  assert.equal(await paths(token, 'q=a'), []);
  assert.equal(await paths(token, 'q=a', { kind: 'folders' }), []);
  const { status, body } = await server.ask('/api/search/files?folder=nowhere', { token });
  assert.is(status, 404);
  assert.is(body['error'], 'folder_not_found');
});

// asvs 8.4.1: search results are separated by account
test("hits carry path, size and time, and never another account's", async () => {
  const { account: ann, token: anns } = await server.user('ann');
  const { account: bob, token: bobs } = await server.user('bob');
  write(ann, { 'one.test/secret-plan.txt': 'four', 'one.test/sub/x': '' });
  write(bob, { 'two.test/secret-list.txt': '' });
  const time = new Date('2026-03-04T05:06:07.890Z');
  utimesSync(join(ann.filesRoot, 'one.test/secret-plan.txt'), time, time);
  await indexed(anns);
  await indexed(bobs);
  const { body, headers } = await server.ask<FileHit[]>('/api/search/files?q=SECRET', { token: anns });
  assert.equal(body, [
    {
      path: `${ROOT}/one.test/secret-plan.txt`,
      size: 4,
      modified: '2026-03-04T05:06:07',
      modified_at: '2026-03-04T05:06:07.890Z',
    },
  ]);
  assert.is(headers.get('x-hostkeep-index'), 'ready');
  assert.equal(await paths(bobs, 'q=secret'), ['two.test/secret-list.txt']);
  assert.is((await server.ask('/api/search/files?folder=one.test', { token: bobs })).status, 404);
  assert.equal((await server.ask('/api/search/folders?q=SUB', { token: anns })).body, [
    { name: 'sub', path: `${ROOT}/one.test/sub` },
  ]);
});

const TREE = {
  report: '',
  'b/report': '',
  'a/report': '',
  'a/deep/report': '',
  'report.txt': '',
  'a/Reporting.md': '',
  'year-report.sql': '',
  'my report.tar.gz': '',
  'xreport.tar.gz': '',
  'b/unreported.sql': '',
  'b/.sql': '',
  'b/asql': '',
  'zz/other.sqlite': '',
};
const BEST_FIRST = [
  'report',
  'a/report',
  'b/report',
  'a/deep/report',
  'report.txt',
  'a/Reporting.md',
  'my report.tar.gz',
  'year-report.sql',
  'xreport.tar.gz',
  'b/unreported.sql',
];

test('best first: whole name, beginning, word, inside; shallow; by path', async () => {
  const { account, token } = await server.user('order');
  write(account, TREE);
  await indexed(token); // on a busy machine, the walk before that may find only a part
  assert.equal(await paths(token, 'q=report'), BEST_FIRST);
  assert.equal(await paths(token, 'q=REPORT&limit=3'), BEST_FIRST.slice(0, 3));
  const beginnings = ['report', 'report.txt', 'a/Reporting.md', 'a/report', 'b/report', 'a/deep/report'];
  assert.equal(await paths(token, 'q=re'), [...beginnings, ...BEST_FIRST.slice(6)]);
  assert.equal(await paths(token, 'q=re&limit=4'), beginnings.slice(0, 4));
  assert.equal(await paths(token, 'ext=sql'), ['year-report.sql', 'b/unreported.sql']);
  assert.equal(await paths(token, 'ext=tar.gz&q=x'), ['xreport.tar.gz']);
  assert.equal(await paths(token, 'ext=GZ'), ['my report.tar.gz', 'xreport.tar.gz']);
  for (const ext of ['sql', 'tar.gz'])
    assert.equal(await paths(token, `ext=.${ext}`), await paths(token, `ext=${ext}`));
  assert.equal(await paths(token, 'q=report&folder=a'), ['a/report', 'a/deep/report', 'a/Reporting.md']);
  assert.equal(await paths(token, `q=report&folder=${ROOT}/a/deep/`), ['a/deep/report']);
  assert.equal(await paths(token, 'q=e', { kind: 'folders' }), ['a/deep']);
  assert.equal(await paths(token, '', { kind: 'folders' }), ['a', 'b', 'zz', 'a/deep']);
  assert.is((await paths(token, '')).length, Object.keys(TREE).length);
  assert.equal(await paths(token, 'q=%00'), []);
});

test('what lies in the trash, or is not uploaded yet, is not found', async () => {
  const { account, token } = await server.user('tidy');
  write(account, { '.hostkeep/trash/1/item/secret.txt': '', '.hostkeep/x': '', 'site/.hostkeep/own.txt': '' });
  assert.equal(await paths(token, 'q=txt'), ['site/.hostkeep/own.txt']);
  await indexed(token);
  assert.equal(await paths(token, 'q=txt'), ['site/.hostkeep/own.txt']);
  write(account, { '.hostkeep/trash/2/item/later.txt': '', 'new.txt': '' });
  await eventually(
    'the change is seen',
    () => paths(token, 'q=txt'),
    (found) => found.length === 2,
  );
  assert.equal(await paths(token, 'q=txt'), ['new.txt', 'site/.hostkeep/own.txt']);
  assert.equal(await paths(token, 'q=trash', { kind: 'folders' }), []);
  const { status, body } = await server.ask('/api/search/files?folder=.hostkeep', { token });
  assert.equal([status, body['error']], [400, 'invalid_path']);
});

test('the first search of an account with few files is answered from the index', async () => {
  const { account, token } = await server.user('first');
  write(account, { 'a/one.txt': '' });
  const { headers, body } = await server.ask<FileHit[]>('/api/search/files', { token });
  assert.is(headers.get('x-hostkeep-index'), 'ready');
  assert.is(body.length, 1);
});

test('files that are added later are sorted by path among the others', async () => {
  const { account, token } = await server.user('later');
  write(account, { 'b/report': '', 'd/report': '', 'd/y.txt': '' });
  await indexed(token);
  write(account, { 'a/report': '', 'c/report': '', 'd/new/report': '', 'd/x.txt': '' });
  assert.equal(
    await eventually(
      'all of q=report is found',
      () => paths(token, 'q=report'),
      (found) => found.length === 5,
    ),
    ['a/report', 'b/report', 'c/report', 'd/report', 'd/new/report'],
  );
  assert.equal(await paths(token, 'ext=txt'), ['d/x.txt', 'd/y.txt']);
  write(account, { 'd/new/deeper/report': '' });
  await eventually(
    'all of q=report&folder=d/new is found',
    () => paths(token, 'q=report&folder=d/new'),
    (found) => found.length === 2,
  );
});

test('letters of any language match in either case; invalid UTF-8 is left out', async () => {
  const { account, token } = await server.user('letters');
  write(account, {
    'ÜBERSICHT.txt': '',
    'Straße.TXT': '',
    'Ελλάδα.md': '',
    'İstanbul.txt': '',
    'KELVIN \u212a.txt': '',
    '日本語 ファイル.txt': '',
    '\u{1f600} emoji.txt': '',
    'line\nbreak.txt': '',
  });
  writeFileSync(
    Buffer.concat([Buffer.from(`${account.filesRoot}/bad`), Buffer.from([0xff, 0xfe]), Buffer.from('.txt')]),
    '',
  );
  mkdirSync(Buffer.concat([Buffer.from(`${account.filesRoot}/dir`), Buffer.from([0xff])]));
  await indexed(token);
  const find = (q: string) => paths(token, `q=${encodeURIComponent(q)}`);
  assert.equal(await find('übersicht'), ['ÜBERSICHT.txt']);
  assert.equal(await find('STRAßE'), ['Straße.TXT']);
  assert.equal(await find('ΕΛΛΆΔΑ'), ['Ελλάδα.md']);
  assert.equal(await find('İSTANBUL'), ['İstanbul.txt']);
  assert.equal(await find('kelvin k'), ['KELVIN \u212a.txt']);
  assert.equal(await find('ファイ'), ['日本語 ファイル.txt']);
  assert.equal(await find('\u{1f600}'), ['\u{1f600} emoji.txt']);
  assert.equal(await find('line\nbreak'), ['line\nbreak.txt']);
  assert.equal(await find('bad'), []);
  assert.equal(await paths(token, 'q=dir', { kind: 'folders' }), []);
  assert.is((await paths(token, 'ext=txt')).length, 7);
});

test('deleted files are not listed, and others take their place', async () => {
  const { account, token } = await server.user('gone');
  write(
    account,
    Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f/item-${String(i).padStart(2, '0')}`, ''])),
  );
  await indexed(token);
  for (let i = 0; i < 30; i += 1) unlinkSync(join(account.filesRoot, `f/item-${String(i).padStart(2, '0')}`));
  assert.equal(await paths(token, 'q=item&limit=2'), ['f/item-30', 'f/item-31']);
  rmSync(join(account.filesRoot, 'f'), { recursive: true });
  assert.equal(await paths(token, 'q=item'), []);
  assert.equal(await paths(token, 'q=f', { kind: 'folders' }), []);
});

test('a new file is found in old, new and moved folders, and not at old paths', async () => {
  const { account, token } = await server.user('fresh');
  write(account, { 'a/b/old.txt': '', 'other/x': '' });
  await indexed(token);
  write(account, { 'a/b/brandnew.txt': '', 'a/c/d/brandnew.txt': '' });
  assert.equal(
    await eventually(
      'all of q=brandnew is found',
      () => paths(token, 'q=brandnew'),
      (found) => found.length === 2,
    ),
    ['a/b/brandnew.txt', 'a/c/d/brandnew.txt'],
  );
  renameSync(join(account.filesRoot, 'a/c'), join(account.filesRoot, 'other/c'));
  assert.equal(
    await eventually(
      'all of q=brandnew is found',
      () => paths(token, 'q=brandnew'),
      (found) => found.length === 2,
    ),
    ['a/b/brandnew.txt', 'other/c/d/brandnew.txt'],
  );
  write(account, { 'other/c/d/brandnew-too.txt': '' });
  await eventually(
    'all of q=brandnew-too is found',
    () => paths(token, 'q=brandnew-too'),
    (found) => found.length === 1,
  );
  renameSync(join(account.filesRoot, 'a'), join(account.filesRoot, 'z'));
  renameSync(join(account.filesRoot, 'other'), join(account.filesRoot, 'a'));
  assert.equal(
    await eventually(
      'all of q=brandnew.txt is found',
      () => paths(token, 'q=brandnew.txt'),
      (found) => found.length === 2,
    ),
    ['z/b/brandnew.txt', 'a/c/d/brandnew.txt'],
  );
  for (const path of ['a/after-swap.txt', 'z/after-swap.txt', 'a/c/after-swap.txt', 'z/b/after-swap.txt']) {
    write(account, { [path]: '' });
    await eventually(
      'all of q=after-swap is found',
      () => paths(token, 'q=after-swap'),
      (found) => found.includes(path),
    );
  }
});

test('a long walk, which takes a second thread, fits into the memory of its process', async () => {
  const { account, token } = await server.user('long-walk');
  for (let i = 0; i < 1200; i += 1) mkdirSync(join(account.filesRoot, `long-${i}`), { recursive: true });
  assert.equal(await paths(token, 'q=long-1199', { kind: 'folders' }), ['long-1199']);
  await indexed(token);
});

test('links are never followed, whether they were there first or are swapped in', async () => {
  const { account: victim, token: victims } = await server.user('victim');
  const { account, token } = await server.user('linker');
  write(victim, { 'private/treasure.txt': 'x' });
  write(account, { 'mine/treasure.txt': '', 'folder/inner/treasure.txt': '' });
  symlinkSync(join(victim.filesRoot, 'private'), join(account.filesRoot, 'link'));
  symlinkSync(join(victim.filesRoot, 'private/treasure.txt'), join(account.filesRoot, 'treasure-link.txt'));
  assert.equal(await paths(token, 'q=treasure'), ['mine/treasure.txt', 'folder/inner/treasure.txt']);
  await indexed(token);
  await indexed(victims);
  assert.equal(await paths(token, 'q=treasure'), ['mine/treasure.txt', 'folder/inner/treasure.txt']);
  assert.is((await server.ask('/api/search/files?folder=link', { token })).status, 404);
  rmSync(join(account.filesRoot, 'mine'), { recursive: true });
  symlinkSync(join(victim.filesRoot, 'private'), join(account.filesRoot, 'mine'));
  rmSync(join(account.filesRoot, 'folder/inner/treasure.txt'));
  symlinkSync(join(victim.filesRoot, 'private/treasure.txt'), join(account.filesRoot, 'folder/inner/treasure.txt'));
  assert.equal(await paths(token, 'q=treasure'), []);
  assert.equal(await paths(token, 'q=mine', { kind: 'folders' }), []);
  assert.is((await server.ask('/api/search/files?folder=mine', { token })).status, 404);
});

// threat path-prefix: a link swapped in during indexing gains nothing
test('swapping a folder for a link never shows what is behind it', async () => {
  const { account: victim } = await server.user('target');
  const { account, token } = await server.user('swapper');
  write(victim, { 'private/hoard.txt': 'longer than nothing' });
  write(account, { 'swap/hoard.txt': '' });
  await indexed(token);
  const [folder, kept, link] = [
    join(account.filesRoot, 'swap'),
    join(account.filesRoot, 'kept'),
    join(account.filesRoot, 'link'),
  ];
  const done = new AbortController();
  const swapping = (async () => {
    for (let i = 0; i < 400; i += 1) {
      symlinkSync(join(victim.filesRoot, 'private'), link);
      renameSync(folder, kept);
      renameSync(link, folder);
      await new Promise((resolve) => setImmediate(resolve));
      unlinkSync(folder);
      renameSync(kept, folder);
    }
    done.abort();
  })();
  while (!done.signal.aborted) {
    const { body } = await server.ask<FileHit[]>('/api/search/files?q=hoard', { token });
    for (const { size } of body) assert.is(size, 0);
  }
  await swapping;
});

/** A server of its own, closed whatever happens. */
async function during(
  options: Record<string, unknown>,
  work: (from: TestServer) => Promise<void>,
  data?: string,
): Promise<void> {
  const from = await start(options, data);
  try {
    await work(from);
  } finally {
    await from.close();
  }
}

test('without watches, changes are found by the modification times of folders', () =>
  during({ watch_share: 0, sweep_seconds: 0 }, async (from) => {
    const { account, token } = await from.user('sweep');
    write(account, { 'a/one.txt': '', 'b/c/two.txt': '' });
    await indexed(token, from);
    write(account, { 'b/c/three.txt': '', 'b/d/four.txt': '' });
    rmSync(join(account.filesRoot, 'a'), { recursive: true });
    const found = await eventually(
      'all of ext=txt is found',
      () => paths(token, 'ext=txt', { from }),
      (each) => each.length === 3,
    );
    assert.equal(found, ['b/c/three.txt', 'b/c/two.txt', 'b/d/four.txt']);
    assert.is(await metric('watched_folders', from), 0);
  }));

const data = mkdtempSync(join(tmpdir(), 'hostkeep-search-'));
test.after(() => rmSync(data, { recursive: true, force: true }));
let stays: Account;

test('an index is kept on disk with later changes, readable by its owner only', () =>
  during(
    {},
    async (from) => {
      stays = await from.account('stays');
      const token = await from.token(stays);
      write(stays, { 'a/ONE.txt': '', 'a/ÜBER.txt': '', 'b/two.txt': '', 'İ/c/three.txt': '' });
      for (const folder of ['a', 'İ/c', 'İ', '']) utimesSync(join(stays.filesRoot, folder), 1e9, 1e9);
      await indexed(token, from);
      write(stays, { 'b/late.txt': '' });
      await eventually(
        'all of q=late is found',
        () => paths(token, 'q=late', { from }),
        (found) => found.length === 1,
      );
      assert.is(await metric('indexes_built_total', from), 1);
    },
    data,
  ).then(() => assert.is(statSync(join(data, `jobs/${stays.id}/search/index`)).mode & 0o777, 0o600)));

test('a restart loads the index without a walk: only folders that changed are listed', () =>
  during(
    {},
    async (from) => {
      const { headers, body } = await from.ask<FileHit[]>('/api/search/files?ext=txt', {
        token: await from.token(stays),
      });
      assert.is(headers.get('x-hostkeep-index'), 'ready');
      assert.equal(
        body.map(({ path }) => path.slice(ROOT.length + 1)),
        ['a/ONE.txt', 'a/ÜBER.txt', 'b/late.txt', 'b/two.txt', 'İ/c/three.txt'],
      );
      assert.is(await metric('indexes_built_total', from), 0);
      assert.is(await metric('indexes_loaded_total', from), 1);
      assert.ok((await metric('folders_listed_total', from)) <= 1, 'folders were listed that had not changed');
    },
    data,
  ));

test('changes made while the server was down are found', async () => {
  write(stays, { 'a/while-away.txt': '' });
  unlinkSync(join(stays.filesRoot, 'b/two.txt'));
  await during(
    {},
    async (from) => {
      const token = await from.token(stays);
      const found = await eventually(
        'the new file is found',
        () => paths(token, 'ext=txt', { from }),
        (each) => each.includes('a/while-away.txt'),
      );
      assert.equal(found, ['a/ONE.txt', 'a/while-away.txt', 'a/ÜBER.txt', 'b/late.txt', 'İ/c/three.txt']);
    },
    data,
  );
});

test('a damaged index is built again', async () => {
  const file = join(data, `jobs/${stays.id}/search/index`);
  const bytes = readFileSync(file);
  bytes.writeUInt8((bytes[200] ?? 0) ^ 1, 200);
  writeFileSync(file, bytes);
  writeFileSync(join(dirname(file), '.index.tmp'), 'of a killed process');
  await during(
    {},
    async (from) => {
      await indexed(await from.token(stays), from);
      assert.is(await metric('indexes_built_total', from), 1);
      const names = await eventually(
        'the index is written',
        async () => readdirSync(dirname(file)),
        ({ length }) => length === 1, // the index is being written when the first search is answered
      );
      assert.equal(names, ['index']);
    },
    data,
  );
});

test('the index of a removed account is removed', () =>
  during({}, async (from) => {
    const { account, token } = await from.user('purged');
    mkdirSync(account.filesRoot, { recursive: true });
    writeFileSync(join(account.filesRoot, 'file'), '');
    await indexed(token, from);
    const folder = join(from.data, `jobs/${account.id}/search`);
    await eventually(
      'the index is written',
      async () => readdirSync(folder),
      (names) => names.includes('index'),
    );
    const { core } = from.hostkeep;
    await core.accounts.remove('purged');
    await core.jobs.setAside(account);
    assert.not(existsSync(folder));
  }));

test('the least recently used index is dropped, and loaded again from disk', () =>
  during({ processes: 1 }, async (from) => {
    const people: { name: string; token: string }[] = [];
    for (const name of ['ivy', 'joe', 'kim']) {
      const { account, token } = await from.user(name);
      write(account, { [`${name}.txt`]: '' });
      people.push({ name, token });
      await indexed(token, from);
    }
    assert.is(await metric('indexes', from), 1);
    for (const { name, token } of people) assert.equal(await paths(token, `q=${name}`, { from }), [`${name}.txt`]);
    assert.is(await metric('indexes_built_total', from), 3);
    assert.ok((await metric('indexes_loaded_total', from)) >= 2);
  }));

test('features the account has are found by name, title and description', async () => {
  const { token } = await server.user('feat', 'basic');
  const find = async (q: string) =>
    (await server.ask<{ module: string }[]>(`/api/search/features?q=${q}`, { token })).body;
  assert.equal(await find('file%20man'), [
    {
      description: 'Browse, upload and change files; restore what was removed',
      link: '/files',
      module: 'filemanager',
      name: 'File manager',
    },
  ]);
  assert.equal(pick(await find('DOMAIN'), 'module'), ['domains']);
  assert.equal(await find('docker'), []);
  assert.is((await find('')).length, 5, 'those of the plan that a plugin or other software provides');
  assert.is((await server.ask<unknown[]>('/api/search/features?limit=2', { token })).body.length, 2);
  const { features } = await server.hostkeep.core.accounts.get('feat');
  const all = (await server.ask<{ module: string }[]>('/api/search/features?limit=100', { token })).body;
  assertNone(all, ({ module }) => !features.has(module));
  await server.hostkeep.core.accounts.setFeature('feat', 'filemanager', false);
  assert.equal(await find('file%20man'), [], 'a feature that the account has lost');
  const { title } = new Locales().features('de').find(({ name }) => name === 'login_history') ?? { title: '' };
  await server.hostkeep.core.accounts.update('feat', { locale: 'de' });
  assert.equal(pick(await find(encodeURIComponent(title.toUpperCase())), 'module'), ['login_history'], title);
});

test('programs find features by titles in the language that they ask for', async () => {
  const { account, token } = await server.user('agent', 'basic');
  await server.hostkeep.core.accounts.update('agent', { locale: 'de' });
  const wanted = { name: 'script', scopes: ['search:read'], networks: [], expiresAt: Date.now() + 60_000 };
  const { token: script } = await server.hostkeep.core.tokens.make(account, wanted, '');
  const nameFor = async (as: string, language: string) => {
    const options = { token: as, headers: { 'accept-language': language } };
    const { body } = await server.ask<{ module: string; name: string }[]>('/api/search/features', options);
    return body.find(({ module }) => module === 'filemanager')?.name;
  };
  assert.is(await nameFor(script, ''), 'File manager');
  assert.is(await nameFor(script, 'de'), await nameFor(token, ''));
  assert.is.not(await nameFor(script, 'de'), 'File manager');
});

test('websites are found by their path, best first', async () => {
  const { account, token } = await server.user('webs');
  sites.set(
    account.id,
    ['shop.test', 'my-shop.test', 'example.test/shop', 'bishop.test', 'other.test'].map((site) => ({
      site,
      type: 'static',
    })),
  );
  const { token: stranger } = await server.user('stranger');
  assert.equal((await server.ask('/api/search/websites?q=SHOP', { token })).body, [
    ['shop.test'],
    ['example.test/shop'],
    ['my-shop.test'],
    ['bishop.test'],
  ]);
  assert.equal((await server.ask('/api/search/websites?limit=1', { token })).body, [['bishop.test']]);
  assert.equal((await server.ask('/api/search/websites', { token: stranger })).body, []);
});
