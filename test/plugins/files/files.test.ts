import { rootAt } from '../../support/files-root.ts';
import { execFileSync } from 'node:child_process';
import { closeSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { openPathSync } from '../../../kernel/kit/files/safe-folder-sync.ts';
import { listFolders, FolderScanner } from '../../../plugins/files/jobs/listing.ts';
import type { FolderList } from '../../../plugins/files/schema.ts';
import { openBelow } from '../../support/open-below.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { rawRequest } from '../../support/raw.ts';
import { testSuite } from '../../support/suite.ts';
import { Swapper } from '../../support/swap.ts';
import { ENCODINGS, LITERAL, OUTSIDE } from '../../support/traversal.ts';
import { pick } from '../../support/lists.ts';

const test = testSuite('files');
let server: TestServer;
let ann: { account: Account; token: string };
let bob: { account: Account; token: string };
const make = (account: Account, ...paths: string[]) =>
  paths.map((path) => mkdirSync(join(account.filesRoot, path), { recursive: true }));
const list = (path: string, token = ann.token) => server.ask<FolderList>(path, { token });
const error = async (path: string, token = ann.token) => {
  const { status, body } = await server.ask(path, { token });
  return [status, body['error']];
};

test.before(async () => {
  server = await TestServer.start();
  [ann, bob] = [await server.user('ann'), await server.user('bob')];
  make(ann.account, 'site/public/css', 'site/private', 'empty');
  make(bob.account, 'secret-of-bob/inner');
  writeFileSync(join(ann.account.filesRoot, 'file.txt'), 'x');
});

test("unknown folders and others' are 404; paths outside the root are refused", async () => {
  for (const path of [
    'nothing',
    'file.txt',
    'file.txt/x',
    'site/nothing',
    'secret-of-bob',
    'bob',
    `${'é'.repeat(100)}`,
  ])
    assert.equal(await error(`/api/folders/${path}`), [404, 'folder_not_found'], path);
  for (const path of ['/etc', '%2Fetc', '%2e%2e%2fbob', 'site%2F..%2F..', 'a%00', 'a%0Ab', 'x'.repeat(256)])
    assert.equal(await error(`/api/folders/${path}`), [400, 'invalid_path'], path);
  assert.equal(await error('/api/folders/%ff'), [400, 'invalid_request']);
});

test('an account without files has an empty root, and nothing below it', async () => {
  const fresh = await server.user('fresh');
  for (const path of ['/api/folders', '/api/folders/', '/api/folders/var/www/html'])
    assert.equal((await list(path, fresh.token)).body, { path: '/var/www/html', folders: [], truncated: false });
  assert.equal(await error('/api/folders/x', fresh.token), [404, 'folder_not_found']);
});

test('folders are listed by name, however the path is written', async () => {
  const root = {
    path: '/var/www/html',
    truncated: false,
    folders: [
      { name: 'empty', path: '/var/www/html/empty', has_subfolders: false },
      { name: 'site', path: '/var/www/html/site', has_subfolders: true },
    ],
  };
  for (const path of ['', '/', '/.', '/var/www/html', '//var/www/html/', '/%2Fvar%2Fwww%2Fhtml'])
    assert.equal((await list(`/api/folders${path}`)).body, root, path);
  const site = {
    path: '/var/www/html/site',
    truncated: false,
    folders: [
      { name: 'private', path: '/var/www/html/site/private', has_subfolders: false },
      { name: 'public', path: '/var/www/html/site/public', has_subfolders: true },
    ],
  };
  for (const path of [
    'site',
    'site/',
    './site//',
    'var/www/html/site',
    '/var/www/html/site',
    '%73ite',
    '%2Fvar%2Fwww%2Fhtml%2Fsite',
  ])
    assert.equal((await list(`/api/folders/${path}`)).body, site, path);
  make(ann.account, 'var/www/html/deep');
  assert.is((await list('/api/folders/var/www/html/var/www/html')).body.folders[0]?.name, 'deep');
  execFileSync('rm', ['-r', '--', join(ann.account.filesRoot, 'var')]);
  const head = await server.ask('/api/folders/site', { token: ann.token, method: 'HEAD' });
  assert.equal([head.status, head.body], [200, '']);
});

test('no folder stays open after its listing', async () => {
  const { filesRoot } = ann.account;
  for (const path of ['/api/folders', '/api/folders/site', '/api/folders/nothing', '/api/folders/file.txt'])
    await server.ask(path, { token: ann.token });
  assert.equal(openBelow(filesRoot), []);
});

test('two accounts see their own folders only', async () => {
  assert.equal(pick((await list('/api/folders', bob.token)).body.folders, 'name'), ['secret-of-bob']);
  assert.equal(pick((await list('/api/folders')).body.folders, 'name'), ['empty', 'site']);
});

test('links and odd names are left out, and every listed folder can be requested', async () => {
  make(
    ann.account,
    'odd/only-links',
    'odd/ü & "quotes" \\ %2e%2e #?',
    `odd/${'é'.repeat(127)}`,
    'odd/new\nline',
    'odd/\u007f',
    'odd/-rf',
    'odd/...',
  );
  mkdirSync(Buffer.concat([Buffer.from(join(ann.account.filesRoot, 'odd/')), Buffer.from([0xff, 0xfe])]));
  for (const [name, target] of [
    ['a-link', '/etc'],
    ['b-link', '.'],
    ['only-links/c-link', '../../..'],
  ] as const)
    symlinkSync(target, join(ann.account.filesRoot, 'odd', name));
  execFileSync('mkfifo', ['--', join(ann.account.filesRoot, 'odd/pipe')]);
  const { folders } = (await list('/api/folders/odd')).body;
  assert.equal(
    folders.map(({ name }) => name),
    ['-rf', '...', 'only-links', 'é'.repeat(127), 'ü & "quotes" \\ %2e%2e #?'].toSorted(),
  );
  for (const { path, has_subfolders } of folders) {
    assert.is(has_subfolders, false);
    assert.equal((await list(`/api/folders/${encodeURIComponent(path)}`)).body, {
      path,
      folders: [],
      truncated: false,
    });
  }
  for (const path of ['a-link', 'a-link/ssl', 'b-link', 'only-links/c-link', 'pipe'])
    assert.equal(await error(`/api/folders/odd/${path}`), [404, 'folder_not_found'], path);
});

// threat double-decoding: no encoding of a path leads out of the account's files
test('no path out of the root, in no encoding, is ever answered', async () => {
  for (const { name, encode, isPath } of ENCODINGS) {
    for (const path of [...OUTSIDE, ...LITERAL]) {
      const request = `GET /api/folders/${encode(path)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ann.token}\r\nConnection: close\r\n\r\n`;
      const answer = await rawRequest(server.hostkeep.url('user'), request);
      const why = `${name}: ${JSON.stringify(path)}`;
      // With blanks and control bytes in it, it is no request at all: 505. A very long one is 431. With a line that ends
      // before the version, uWebSockets.js for Node.js 24 waits for the rest, and closes the connection without a reply.
      const refusal = encode(path).includes('\r\n') ? /^(?:HTTP\/1\.1 505 |$)/ : /^HTTP\/1\.1 (4\d\d|505) /;
      assert.match(answer, refusal, why);
      assert.not.match(answer, /secret-of-bob|"folders"/, why);
      if (isPath && request.length < 4000)
        assert.is(
          /"error":"(\w+)"/.exec(answer)?.[1],
          OUTSIDE.includes(path) ? 'invalid_path' : 'folder_not_found',
          why,
        );
    }
  }
});

// threat path-prefix: a link swapped in during a listing gains nothing
test('swapping a folder for a link to /etc during a request gains nothing', async () => {
  make(ann.account, 'raced/inner/deepest');
  const place = join(ann.account.filesRoot, 'raced');
  const swapper = new Swapper(place, '/etc');
  const seen = { 200: 0, 404: 0 };
  try {
    while (swapper.swaps < 5000 || seen[200] < 50 || seen[404] === 0) {
      const answers = await Promise.all(
        ['', '/inner', '/ssl', '/inner'].map((path) => list(`/api/folders/raced${path}`)),
      );
      for (const { status, body } of answers) {
        assert.ok(status === 200 || status === 404, String(status));
        seen[status] += 1;
        if (status === 200)
          assert.equal(pick(body.folders, 'name'), body.path.endsWith('/inner') ? ['deepest'] : ['inner']);
      }
      const above = (await list('/api/folders')).body.folders.find(({ name }) => name === 'raced');
      assert.ok(above === undefined || above.has_subfolders);
    }
  } finally {
    await swapper.stop();
  }
});

test('while 10,000 folders are listed, others are answered', async () => {
  make(ann.account, ...Array.from({ length: 10_000 }, (_, i) => `large/${i}`), 'large/7/inside');
  const state = { isListed: false };
  const listing = list('/api/folders/large').finally(() => (state.isListed = true));
  let answered = 0;
  for (; !state.isListed; answered += 1) assert.is((await list('/api/folders', bob.token)).status, 200);
  const { folders, truncated } = (await listing).body;
  assert.is(folders.length, 10_000);
  assert.not.ok(truncated);
  assert.equal(
    pick(
      folders.filter(({ has_subfolders }) => has_subfolders),
      'name',
    ),
    ['7'],
  );
  assert.equal(
    folders.map(({ name }) => name),
    folders.map(({ name }) => name).toSorted(),
  );
  assert.ok(answered > 1, `${answered} answered meanwhile`);
});

test('has_subfolders is the same whether links are counted or folders are read', async () => {
  make(ann.account, 'counted/with/one', 'counted/without');
  for (let i = 0; i < 50; i += 1) writeFileSync(join(ann.account.filesRoot, 'counted/without', `file-${i}`), '');
  symlinkSync('/etc', join(ann.account.filesRoot, 'counted/without/link'));
  symlinkSync('/etc', join(ann.account.filesRoot, 'counted/link'));
  const folder = openPathSync(rootAt(ann.account.filesRoot), ['counted']);
  for (const isCounting of [true, false]) {
    const scanner = new FolderScanner(folder, 1000, isCounting);
    assert.equal(
      ['with', 'without', 'link', 'gone'].map((name) => scanner.hasFolders(name)),
      [true, false, undefined, undefined],
    );
    assert.not.ok(scanner.isTruncated);
  }
  const spent = new FolderScanner(folder, 10, false);
  assert.is(spent.hasFolders('without'), true, 'what was not read to its end may hold a folder');
  assert.ok(spent.isTruncated);
  closeSync(folder);
});

test('a folder beyond the limits is truncated', async () => {
  const folder = openPathSync(rootAt(ann.account.filesRoot), ['large']);
  const few = listFolders(folder, '/l', { max_folders: 5, max_entries: 1000 });
  assert.equal([few.folders.length, few.truncated], [5, true]);
  assert.equal(few.folders[0]?.path, `/l/${few.folders[0]?.name}`);
  const read = listFolders(folder, '/l', { max_folders: 50_000, max_entries: 100 });
  assert.equal([read.folders.length, read.truncated], [100, true]);
  const mixed = mkdtempSync(join(tmpdir(), 'hostkeep-mixed-'));
  for (const name of ['a', 'b']) mkdirSync(join(mixed, name));
  for (let i = 0; i < 9; i += 1) symlinkSync('a', join(mixed, `link ${i}`));
  const links = openPathSync(rootAt(mixed), []);
  const whole = listFolders(links, '/l', { max_folders: 2, max_entries: 1000 });
  assert.equal([whole.folders.map(({ name }) => name), whole.truncated], [['a', 'b'], false], 'links do not count');
  writeFileSync(join(mixed, 'file'), '');
  for (const name of ['hard 1', 'hard 2']) linkSync(join(mixed, 'file'), join(mixed, name));
  const scanner = new FolderScanner(links, 1000, true);
  assert.is(scanner.hasFolders('file'), undefined, 'a file that replaced a folder, with links of its own');
  closeSync(links);
  rmSync(mixed, { recursive: true });
  closeSync(folder);
});

test("a root that cannot be opened is the server's fault", async () => {
  const broken = await TestServer.start({ config: { files_root: `{data}/${'x'.repeat(300)}/{username}` } });
  const { token } = await broken.user('ann');
  const { status, body } = await broken.ask('/api/folders', { token });
  assert.equal([status, body['error']], [503, 'files_unavailable']);
});
