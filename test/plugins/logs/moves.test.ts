import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import * as assert from '../../support/assert.ts';
import type { MoveLink, Mover } from '../../../kernel/contract/points/move-part.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { takeArrived } from '../../../plugins/logs/follower/arrivals.ts';
import { Sites } from '../../../plugins/logs/follower/sites.ts';
import { movePart } from '../../../plugins/logs/mover.ts';
import { ArrivingLogs } from '../../../plugins/logs/site-logs/arriving.ts';
import { SiteFolders } from '../../../plugins/logs/site-logs/segments.ts';
import { SiteWriter } from '../../../plugins/logs/site-logs/writer.ts';
import { addTraffic, readFiles, trafficByDay, writeFile } from '../../../plugins/logs/store.ts';
import { firstOfMonth } from '../../../plugins/logs/traffic.ts';
import { codeOf } from '../../support/code-of.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('logs: moves');
const ANN = { id: 7, username: 'ann' };
const [SITE, ANOTHER] = [{ domainId: 3, accountId: ANN.id }, 4];
const BEFORE = '2020-01-01';

/** The logs of one node. */
class End {
  readonly root = temporaryFolder();
  readonly folders = new SiteFolders(this.root);
  readonly arriving = new ArrivingLogs(this.root);
  readonly local: Store;
  readonly siteIds = async () => [SITE.domainId];

  constructor({ hostkeep }: TestServer) {
    this.local = hostkeep.core.local;
  }

  get mover(): Mover {
    return movePart(this).mover as Mover;
  }

  arrive(name: string, body: string | AsyncIterable<Buffer>, about = ''): Promise<unknown> {
    const { signal } = new AbortController();
    const bytes = typeof body === 'string' ? [Buffer.from(body)] : body;
    return this.mover.arrive({ name, about, account: ANN, body: Readable.from(bytes), signal });
  }

  /** Writes a file of a site, of which so much counts if it grows. */
  async write(name: string, content: string, counted?: number): Promise<void> {
    const path = join(this.root, String(SITE.domainId), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    utimesSync(path, 1e9, 1e9);
    const [kind, segment] = name.split('.') as ['access' | 'error', string];
    const file = { ...SITE, kind, segment: Number(segment), sizeBytes: counted ?? 0, since: 1 };
    if (counted !== undefined) await this.local.write((tx) => writeFile(tx, file));
  }

  /** Follows the logs of domains, which live here if `isHere`. */
  async follow(domains: readonly number[], isHere: boolean): Promise<SiteWriter> {
    const all = domains.map((id) => ({ id, name: `${id}.example`, accountId: ANN.id, createdAt: 0 }));
    const sites = new Sites({ all: () => Readable.from(all) } as unknown as ConstructorParameters<typeof Sites>[0]);
    const accounts = { byId: async (id: number) => ({ id }), isHere: () => isHere };
    const services = { local: this.local, identity: { accounts } } as unknown as Parameters<
      typeof takeArrived
    >[0]['services'];
    const writer = new SiteWriter(this.folders, await readFiles(this.local));
    await takeArrived({ services, arriving: this.arriving, folders: this.folders, sites }, writer);
    return writer;
  }

  read(name: string): string {
    return readFileSync(join(this.root, name), 'utf8');
  }
}

let [here, there] = [] as unknown as [End, End];
test.before(async () => {
  [here, there] = (await Promise.all([TestServer.start(), TestServer.start()])).map((server) => new End(server)) as [
    End,
    End,
  ];
});

const sent = ({ local }: End, day: string, bytes: number, domainId = 1) =>
  local.write((tx) => addTraffic(tx, { accountId: ANN.id, domainId, day, requests: 1, bytes }));
const link = (): MoveLink => ({
  say: () => undefined,
  signal: new AbortController().signal,
  ask: ({ name, about }, body) => there.arrive(name, body, about),
});
const traffic = ({ local }: End) => trafficByDay(local, ANN.id, BEFORE);

test('what the other node sends is checked', async () => {
  const day = { day: '2026-11-01', requests: 1, bytes: 1 };
  for (const wrong of [
    null,
    {},
    [null],
    [{ ...day, bytes: -1 }],
    [{ ...day, day: '1' }],
    [{ ...day, domain: 1 }],
    Array.from({ length: 32 }, () => day),
  ])
    assert.is(await codeOf(there.arrive('traffic', JSON.stringify(wrong))), 'invalid_request', JSON.stringify(wrong));
  assert.equal(await traffic(there), []);
  assert.is(await codeOf(there.arrive('another', '{}')), 'not_found');
  assert.is(await codeOf(there.arrive('room', JSON.stringify({ bytes: Number.MAX_SAFE_INTEGER }))), 'move_refused');
  const names = [
    '../3/access.1',
    '3/../access.1',
    '3/access.1/..',
    '/3/access.1',
    '3/access',
    '0/access.1',
    '3/other.1',
  ];
  for (const name of names)
    assert.is(await codeOf(there.arrive('lines', 'line\n', `${name} 0 5 1`)), 'invalid_request', name);
  for (const numbers of ['1 5 1', '0 4 1', '0 6 1', '-1 5 1', '0 5', '0 5 1 1'])
    assert.is(await codeOf(there.arrive('lines', 'line\n', `5/access.1 ${numbers}`)), 'invalid_request', numbers);
  await there.mover.discard(ANN);
  assert.equal(readdirSync(there.arriving.root), []);
});

test('what counts of the lines arrives once, with the traffic of this month', async () => {
  const today = firstOfMonth();
  await sent(here, '2020-01-02', 1);
  await sent(here, today, 10);
  await sent(here, today, 20, 2);
  await sent(there, today, 5); // from when the account lived there before
  await here.write('access.1.log', 'oldest\n');
  await here.write('access.2.log', 'counted\nnot', 8);
  for (let run = 0; run < 2; run++) {
    const leaving = here.mover.leave(ANN, link());
    await leaving.begin();
    await leaving.copy();
    if (run > 0) await here.write('access.2.log', 'counted\nlater\n', 14);
    await leaving.close();
    await leaving.assertClosed();
    await leaving.end(run > 0);
    assert.equal(await traffic(there), [{ day: today, requests: 2, bytes: 30 }]);
    if (run === 0) await there.mover.discard(ANN);
  }
  const arrived = join(there.arriving.root, '7/3');
  assert.equal(readdirSync(arrived).toSorted(), ['access.1.log', 'access.2.log']);
  assert.is(readFileSync(join(arrived, 'access.2.log'), 'utf8'), 'counted\nlater\n');
  assert.is(statSync(join(arrived, 'access.1.log')).mtimeMs, 1e12, 'by which it is removed one day');
  await here.mover.remove(ANN, false);
  assert.equal([await traffic(here), await here.folders.ids()], [[], []]);
});

test('lines are given to their sites once the account lives here, before newer ones', async () => {
  await there.arrive('lines', 'foreign\n', `${ANOTHER}/access.1 0 8 1`);
  await there.follow([SITE.domainId], false);
  assert.not(existsSync(join(there.root, '3')), 'the account is on its way');
  await there.write('access.9.log', 'of when it lived here before\n', 1);
  const writer = await there.follow([SITE.domainId], true);
  assert.equal(readdirSync(join(there.root, '3')).toSorted(), ['access.1.log', 'access.2.log']);
  assert.not(existsSync(join(there.root, String(ANOTHER))), 'what is no site of the account');
  assert.equal(readdirSync(there.arriving.root), []);
  for (const at of [writer, await there.follow([SITE.domainId], true)])
    await at.append({ ...SITE, createdAt: 0 }, 'access', ['new']); // the second time after a process that was killed
  const contents = [1, 2, 3].map((segment) => there.read(`3/access.${segment}.log`));
  assert.equal(contents, ['oldest\n', 'counted\nlater\n', 'new\n']);
});

test('what has come goes after a failure', async () => {
  await there.arrive('lines', 'line\n', '3/error.1 0 5 1');
  await there.mover.discard(ANN);
  assert.equal([await traffic(there), readdirSync(there.arriving.root)], [[], []]);
});
