/** An account moves from one node to another: what is refused, what arrives, and what is left. */
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { errorMessage } from '../../../../kernel/errors.ts';
import type { PluginStatus } from '../../../../kernel/contract/node-info.ts';
import { assertPlugins } from '../../../../plugins/moves/admission.ts';
import { TestFleet, type FleetMember } from '../../../support/fleet.ts';
import type { TestServer } from '../../../support/hostkeep.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const test = testSuite('fleet moves');
let fleet: TestFleet;
let [one, two] = [] as unknown as [FleetMember, FleetMember];
let [first, second] = [] as unknown as [TestServer, TestServer];

test.before(async () => {
  ({ fleet, one, two } = await TestFleet.pair('moves'));
  first = await fleet.serve(one);
  second = await fleet.serve(two);
  await fleet.areUp(one);
});

const move = (at: FleetMember, ...args: readonly string[]) => fleet.run(at.data, ['account', 'move', ...args]);
const filesOf = (at: FleetMember, name: string) => join(at.data, 'files', name);
const homeOf = async (name: string) => (await first.hostkeep.core.accounts.get(name)).home;
const movesLeft = () => first.hostkeep.core.store.all<{ username: string }>('select username from moves');

/** Makes files of all kinds that a customer can have. */
function makeFiles(folder: string): void {
  for (const name of ['site/sub', 'gone/deep', 'before']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'site/index.html'), 'hello', { mode: 0o604 });
  chmodSync(join(folder, 'site/sub'), 0o3775);
  utimesSync(join(folder, 'site/index.html'), 1_000_000_000, 1_000_000_000);
  linkSync(join(folder, 'site/index.html'), join(folder, 'site/sub/same.html'));
  symlinkSync('../site/index.html', join(folder, 'before/link'));
  symlinkSync('/etc/passwd', join(folder, 'absolute'));
  writeFileSync(join(folder, 'odd "name"\n\\ä €'), 'odd');
  writeFileSync(join(folder, '-rf'), 'dash');
  writeFileSync(join(folder, 'gone/deep/file'), 'gone');
}

test('what cannot move is refused, and stays', async () => {
  await first.user('stays');
  await first.admin('boss');
  mkdirSync(filesOf(one, 'stays'), { recursive: true });
  writeFileSync(join(filesOf(one, 'stays'), 'a'), 'a');
  const refused = async (pattern: RegExp, at: FleetMember, ...args: readonly string[]) => {
    const { code, stderr } = await move(at, ...args);
    assert.is(code, 1, stderr);
    assert.match(stderr, pattern);
  };
  await refused(/give --to <node>, or --undo/, one, 'stays');
  await refused(/there is no account nobody/, one, 'nobody', '--to', 'two');
  await refused(/is an administrator/, one, 'boss', '--to', 'two');
  await refused(/there is no node three/, one, 'stays', '--to', 'three');
  await refused(/lives on one already/, one, 'stays', '--to', 'one');
  await refused(/lives on the node one: do this there/, two, 'stays', '--to', 'one');
  await refused(/no move of stays was interrupted/, one, 'stays', '--undo');
  await fleet.run(one.data, ['fleet', 'drain', 'two']);
  await refused(/two takes no new accounts/, one, 'stays', '--to', 'two');
  await fleet.run(one.data, ['fleet', 'drain', 'two', '--undo']);
  mkdirSync(filesOf(two, 'stays'), { recursive: true });
  writeFileSync(join(filesOf(two, 'stays'), 'theirs'), 'not overwritten');
  chownSync(filesOf(two, 'stays'), statSync(two.data).uid === 0 ? 4242 : -1, -1); // whose job cannot pass through the data folder
  await refused(/is there already, and nothing is overwritten/, one, 'stays', '--to', 'two');
  assert.is(readFileSync(join(filesOf(two, 'stays'), 'theirs'), 'utf8'), 'not overwritten');
  assert.is(readFileSync(join(filesOf(one, 'stays'), 'a'), 'utf8'), 'a');
  assert.is(await homeOf('stays'), 'one');
  assert.equal(await movesLeft(), []);
});

test('a node that lacks what the account uses is no home for it', () => {
  const status = { state: 'ready', features: [], provides: [] } as const;
  const plugins: PluginStatus[] = [
    { ...status, name: 'files' },
    { ...status, name: 'databases', state: 'degraded', reason: 'one of its servers does not answer' },
    { ...status, name: 'search', state: 'off', reason: 'the configuration says so' },
    { ...status, name: 'webserver', state: 'degraded', provides: ['domainAdded'], reason: 'nginx does not listen' },
  ];
  const refusalOf = (...needed: readonly string[]) => {
    try {
      assertPlugins({ plugins: () => plugins }, needed);
      return 'admitted';
    } catch (error) {
      return errorMessage(error);
    }
  };
  const detail = 'what the account uses is off or unavailable: ';
  assert.is(refusalOf('notes'), `${detail}notes`);
  assert.is(refusalOf('files', 'search'), `${detail}search (the configuration says so)`);
  assert.is(refusalOf('files', 'webserver'), `${detail}webserver (nginx does not listen)`);
  assert.is(refusalOf('files', 'databases'), 'admitted');
});

test('files of all kinds and the session arrive, and nothing is left behind', async () => {
  const { token, account } = await first.user('ann');
  const [from, to] = [filesOf(one, 'ann'), filesOf(two, 'ann')];
  makeFiles(from);
  const before = await first.ask('/api/domains/new', { token, method: 'POST', body: { domain_url: 'ann.example' } });
  assert.is(before.status, 201, JSON.stringify(before.body));
  const { code, stdout, stderr } = await move(one, 'ann', '--to', 'two', '--json');
  assert.is(code, 0, stderr);
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
  assert.equal([last['state'], last['from'], last['to'], last['late']], ['moved', 'one', 'two', []]);
  assert.equal(last['next'], ['point to two: ann.example']);
  assert.ok(Number(last['read_only_seconds']) > 0);
  assert.is(await homeOf('ann'), 'two');
  assert.not(existsSync(from));
  assert.equal(await movesLeft(), []);
  const page = statSync(join(to, 'site/index.html'));
  assert.equal([page.mode & 0o7777, page.mtimeMs, page.nlink], [0o604, 1_000_000_000_000, 2]);
  assert.is(statSync(join(to, 'site/sub/same.html')).ino, page.ino);
  assert.is(
    statSync(join(to, 'site/sub')).mode & 0o7777,
    0o1775,
    'without the bit for the group, which is another one there',
  );
  assert.is(readlinkSync(join(to, 'before/link')), '../site/index.html');
  assert.is(readlinkSync(join(to, 'absolute')), '/etc/passwd');
  assert.is(readFileSync(join(to, 'odd "name"\n\\ä €'), 'utf8'), 'odd');
  assert.is(readFileSync(join(to, '-rf'), 'utf8'), 'dash');
  for (const node of [first, second]) {
    await until('the folder is that of the new home', async () => {
      const { status, body } = await node.ask('/api/folders', { token });
      return status === 200 && JSON.stringify(body).includes('site');
    });
    const added = await node.ask('/api/domains/new', {
      token,
      method: 'POST',
      body: { domain_url: `${node === first ? 'a' : 'b'}.example` },
    });
    assert.is(added.status, 201, JSON.stringify(added.body));
  }
  const { lines } = await first.hostkeep.core.events.page(account.id, '', 0, 10);
  assert.ok(lines.some((line) => line.includes('was moved from the node one to two')));
});

test('deletions, renames and replacements during the first copy are followed', async () => {
  await second.user('ben');
  const [from, to] = [filesOf(two, 'ben'), filesOf(one, 'ben')];
  makeFiles(from);
  writeFileSync(join(from, 'large'), Buffer.alloc(48 << 20, 1));
  const moving = move(two, 'ben', '--to', 'one');
  await until('files arrive', () => existsSync(join(to, '-rf')) || existsSync(join(to, 'gone')));
  rmSync(join(from, 'gone'), { recursive: true });
  rmSync(join(from, 'before'), { recursive: true });
  symlinkSync('site', join(from, 'before')); // a folder becomes a link
  rmSync(join(from, 'absolute'));
  mkdirSync(join(from, 'absolute'));
  writeFileSync(join(from, 'absolute/in'), 'in');
  writeFileSync(join(from, 'new'), 'new');
  const { code, stderr } = await moving;
  assert.is(code, 0, stderr);
  assert.not(existsSync(join(to, 'gone')));
  assert.is(readlinkSync(join(to, 'before')), 'site');
  assert.ok(lstatSync(join(to, 'absolute')).isDirectory());
  assert.is(readFileSync(join(to, 'absolute/in'), 'utf8'), 'in');
  assert.is(readFileSync(join(to, 'new'), 'utf8'), 'new');
  assert.is(statSync(join(to, 'large')).size, 48 << 20);
  assert.not(existsSync(from));
});

test('the target ends: the account stays, and a later move cleans up', async () => {
  const { token } = await first.user('dan');
  mkdirSync(filesOf(one, 'dan'), { recursive: true });
  writeFileSync(join(filesOf(one, 'dan'), 'large'), Buffer.alloc(128 << 20, 1));
  const moving = move(one, 'dan', '--to', 'two');
  await until('files arrive', () => existsSync(filesOf(two, 'dan')));
  await second.close();
  const { code, stderr } = await moving;
  assert.is(code, 1);
  assert.match(
    stderr,
    /(the node two cannot be reached|two: the server is stopping).*two keeps what it has got/s,
    stderr,
  );
  assert.is(await homeOf('dan'), 'one');
  await first.with(token).asks('POST /api/domains/new', { domain_url: 'dan.example' }, 201);
  const event = await first.hostkeep.core.events.search({ type: 'account.move_failed', username: 'dan' }, 10);
  assert.equal(
    event.events.map(({ data }) => [data['from'], data['to']]),
    [['one', 'two']],
  );
  second = await fleet.serve(two);
  await fleet.areUp(one);
  const again = await move(one, 'dan', '--to', 'two');
  assert.is(again.code, 0, again.stderr);
  assert.is(statSync(join(filesOf(two, 'dan'), 'large')).size, 128 << 20);
  assert.equal(await movesLeft(), []);
});

test('an account without files moves, too', async () => {
  await first.user('bare');
  assert.is((await move(one, 'bare', '--to', 'two')).code, 0);
  assert.is(await homeOf('bare'), 'two');
});
