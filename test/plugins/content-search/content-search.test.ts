import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from '../../support/assert.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { findLines, linePattern } from '../../../plugins/content-search/jobs/find-lines.ts';
import type { FoundContent } from '../../../plugins/content-search/schema.ts';
import { FIRST_ID } from '../../support/broker.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const test = testSuite('content search');
const ROOT = '/var/www/html';
const isRoot = process.geteuid?.() === 0;
const config = (over: object = {}) => ({
  ...(isRoot && { ids: { first: FIRST_ID, count: 1000 } }),
  'content-search': { max_file_mib: 1, seconds: 120, ...over },
});
let server: TestServer;
let ann: Searcher;
let bob: Searcher;
test.before(async () => {
  server = await TestServer.start({ config: config() });
  [ann, bob] = [await Searcher.make(server, 'anna'), await Searcher.make(server, 'bob')];
});

/** An account that searches its files. */
class Searcher {
  readonly server: TestServer;
  readonly account: Account;
  readonly token: string;

  private constructor(of: TestServer, account: Account, token: string) {
    [this.server, this.account, this.token] = [of, account, token];
  }

  static async make(of: TestServer, username: string): Promise<Searcher> {
    const { account, token } = await of.user(username);
    mkdirSync(account.filesRoot, { recursive: true });
    own(account, account.filesRoot);
    return new Searcher(of, account, token);
  }

  here(path: string): string {
    return join(this.account.filesRoot, path);
  }

  write(path: string, content: string | Uint8Array, mode = 0o644): void {
    const folder = dirname(this.here(path));
    mkdirSync(folder, { recursive: true });
    own(this.account, folder);
    writeFileSync(this.here(path), content);
    chmodSync(this.here(path), mode);
    own(this.account, this.here(path));
  }

  ask(query: Readonly<Record<string, string>>, signal?: AbortSignal) {
    return fetch(`${this.server.hostkeep.url('user')}/api/content-search?${new URLSearchParams(query)}`, {
      headers: { Authorization: `Bearer ${this.token}` },
      ...(signal && { signal }),
    });
  }

  async error(query: Readonly<Record<string, string>>): Promise<unknown> {
    return ((await (await this.ask(query)).json()) as { error?: string }).error;
  }

  async find(text: string, more: Readonly<Record<string, string>> = {}): Promise<FoundContent> {
    const response = await this.ask({ text, ...more });
    assert.is(response.status, 200, await response.clone().text());
    return (await response.json()) as FoundContent;
  }
}

function own({ id }: Account, path: string): void {
  if (isRoot) chownSync(path, FIRST_ID + id, FIRST_ID + id);
}
const paths = ({ files }: FoundContent) => files.map(({ path }) => path.slice(ROOT.length + 1));

test('a path that leads out, and a text that is none, are refused', async () => {
  for (const path of ['../bob', '/etc', '.hostkeep/trash', 'a\nb'])
    assert.is(await ann.error({ text: 'x', path }), 'invalid_path', path);
  assert.is(await ann.error({ text: 'x', path: 'nothing' }), 'folder_not_found');
  for (const text of ['', 'a\nb', 'a\0b', 'x'.repeat(201)])
    assert.is(await ann.error({ text }), 'invalid_request', text);
  assert.is(await ann.error({ text: 'x', case: 'other' }), 'invalid_request');
  const { files, searched, ended_by: endedBy } = await bob.find('x');
  assert.equal([files, searched, endedBy], [[], 0, null], 'an account without files');
});

// threat other-accounts: a search reads what the account may read, and follows no link to anything else
test('lines with the text are found in the own files of the account, and nowhere else', async () => {
  const outside = temporaryFolder();
  chmodSync(outside, 0o755);
  writeFileSync(join(outside, 'there'), 'the Needle of others');
  bob.write('secret', 'the Needle of bob', 0o644);
  ann.write('site/a.php', 'one\ntwo $needle = 1;\r\nthree\nneedle and needle\n');
  ann.write('site/b.txt', 'NEEDLE');
  ann.write('site/deep/er/c.php', 'no such thing');
  ann.write('site/.env', 'SECRET=needle');
  ann.write('site/picture.png', Buffer.concat([Buffer.from([0x89, 0]), Buffer.from('needle')]));
  ann.write('site/closed', 'needle', 0);
  ann.write('.hostkeep/trash/x/item', 'needle');
  ann.write('site/huge', 'needle');
  truncateSync(ann.here('site/huge'), 2 ** 40);
  ann.write('site/line\nbreak', 'needle');
  for (const [target, name] of [
    [join(outside, 'there'), 'link'],
    [outside, 'folder-link'],
    [bob.account.filesRoot, 'bob'],
  ] as const)
    symlinkSync(target, ann.here(`site/${name}`));
  const found = await ann.find('needle');
  assert.equal(
    [paths(found), found.searched, found.left_out, found.ended_by],
    [['site/.env', 'site/a.php', 'site/b.txt'], 4, 3, null],
    JSON.stringify(found),
  );
  assert.equal(found.files[1], {
    path: `${ROOT}/site/a.php`,
    lines: [
      { line: 2, before: 'two $', found: 'needle', after: ' = 1;' },
      { line: 4, before: '', found: 'needle', after: ' and needle' },
    ],
    has_more: false,
  });
  assert.equal(paths(await ann.find('needle', { case: 'same' })), ['site/.env', 'site/a.php']);
  assert.equal(paths(await ann.find('needle', { ending: '.txt' })), ['site/b.txt']);
  assert.equal(paths(await ann.find('no such', { path: 'site/deep' })), ['site/deep/er/c.php']);
  assert.equal(paths(await ann.find('$needle = 1;', { path: `${ROOT}/site` })), ['site/a.php']);
  assert.equal(paths(await ann.find('n.edle')), [], 'it is no pattern');
  rmSync(ann.here('site'), { recursive: true });
});

test('a folder that was swapped for a link is not entered', async () => {
  ann.write('swap/x', 'needle');
  renameSync(ann.here('swap'), ann.here('away'));
  symlinkSync(bob.account.filesRoot, ann.here('swap'));
  assert.is(await ann.error({ text: 'bob', path: 'swap' }), 'folder_not_found');
  for (const path of ['swap', 'away']) rmSync(ann.here(path), { recursive: true });
});

test('a search ends with what it may find, read, and take in time, and says which', async () => {
  for (let i = 0; i < 205; i += 1) ann.write(`many/${i}.txt`, 'needle\n'.repeat(i === 0 ? 21 : 1));
  const found = await ann.find('needle');
  assert.equal([found.files.length, found.ended_by], [200, 'files']);
  const lines = await ann.find('needle', { path: 'many', ending: '/0.txt' });
  assert.equal(lines.files, [], 'an ending is that of a name');
  const [first] = (await ann.find('needle', { ending: '0.txt' })).files.filter(({ path }) => path.endsWith('/0.txt'));
  assert.equal([first?.lines.length, first?.has_more], [20, true]);
  rmSync(ann.here('many'), { recursive: true });

  const small = await TestServer.start({ config: config({ max_mib: 1 }) });
  const carl = await Searcher.make(small, 'carl');
  for (let i = 0; i < 4; i += 1) carl.write(`${i}`, 'a'.repeat(400_000));
  const read = await carl.find('b');
  assert.equal([read.searched, read.ended_by], [3, 'bytes']);
});

/** Gives an account what takes minutes to search: the text almost fits at each character. */
function makeSlow(searcher: Searcher): string {
  searcher.write('0', 'aB'.repeat(2 ** 19));
  for (let i = 1; i < 1000; i += 1) linkSync(searcher.here('0'), searcher.here(`${i}`));
  return `${'ab'.repeat(99)}c`;
}

test('a search that takes too long ends, with what it has found', async () => {
  const hasty = await TestServer.start({ config: config({ seconds: 1 }) });
  const carl = await Searcher.make(hasty, 'carl');
  const { files, ended_by: endedBy } = await carl.find(makeSlow(carl));
  assert.equal([files, endedBy], [[], 'time']);
});

test('a search whose client leaves does not go on', async () => {
  const patient = await TestServer.start({ config: config({ max_mib: 65_536 }) });
  const carl = await Searcher.make(patient, 'carl');
  const processes = () =>
    readdirSync('/proc').filter((pid) => {
      const stats = /^\d+$/.test(pid) ? statSync(`/proc/${pid}`, { throwIfNoEntry: false }) : undefined;
      return stats?.uid === FIRST_ID + carl.account.id;
    }).length;
  const abort = new AbortController();
  const asked = carl.ask({ text: makeSlow(carl) }, abort.signal).catch(({ name }: Error) => name);
  if (isRoot) await until('the search runs', () => processes() > 0);
  abort.abort();
  assert.is(await asked, 'AbortError');
  if (isRoot) await until('its process has ended', () => processes() === 0);
});

test('lines are told as they are read, and a text is found as it stands', () => {
  const find = (content: string, text: string, isCaseIgnored = true) =>
    findLines(content, linePattern(text, isCaseIgnored)).lines;
  for (const text of ['$a[0]', '^x', 'a.b', '(', ')*', 'a|b', 'c:\\d', '{1}', '/', '-', '[^]', '\\', 'ß', '😀'])
    assert.equal(find(`1\n2 ${text} 3`, text), [{ line: 2, before: '2 ', found: text, after: ' 3' }], text);
  const long = `${'x'.repeat(500)}needle${'y'.repeat(500)}`;
  const [line] = find(`${long}\n${long}`, 'NEEDLE');
  assert.equal([line?.before.length, line?.found, line?.after.length], [60, 'needle', 140]);
  assert.equal(find(`a\u202eb\tneedle\u0007`, 'needle'), [
    { line: 1, before: 'a\\u202eb ', found: 'needle', after: '\\x07' },
  ]);
  assert.equal(find(`😀${'x'.repeat(59)}needle`, 'needle')[0]?.before, 'x'.repeat(59), 'no half of a character');
  assert.equal(find('Ünter', 'üN')[0]?.found, 'Ün');
  assert.equal(find('', 'x'), []);
  assert.equal(find('x', 'x\t'), []);
  assert.is(find('needle\n'.repeat(30), 'needle').at(-1)?.line, 20);
});
