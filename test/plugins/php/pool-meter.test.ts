import { createServer, type Socket } from 'node:net';
import * as assert from '../../support/assert.ts';
import { ProgramFolder } from '../../../kernel/kit/programs/program-folder.ts';
import { startProgram } from '../../../kernel/kit/programs/start-program.ts';
import { readStatus } from '../../../kernel/kit/programs/fpm/fpm-status.ts';
import { PoolMeter } from '../../../plugins/php/pools/pool-meter.ts';
import { lookAt } from '../../../kernel/kit/programs/fpm/seen-pool.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';
import { eventually, until } from '../../support/until.ts';

const test = testSuite('php-pool-meter');
const status = (accepted: string, active: string, reached: string) =>
  `Content-type: text/plain\r\n\r\npool:                 site\naccepted conn:        ${accepted}\n` +
  `active processes:     ${active}\nmax children reached: ${reached}\n`;

test('a status of FPM has numbers of a bounded length, or is none', () => {
  assert.equal(readStatus(status('12', '3', '0')), { accepted: 12, active: 3, limitReached: 0 });
  const wrong = ['', '-1', '1e9', '0x10', '1.5', 'NaN', '99999999999', ' '.repeat(40) + '1', '1 2'];
  for (const each of wrong) {
    assert.throws(() => readStatus(status(each, '1', '0')), /accepted conn/, each);
    assert.throws(() => readStatus(status('1', each, '0')), /active processes/, each);
  }
  assert.throws(() => readStatus('max children reached: 1\n'.repeat(100)));
});

/** Writes a text as the whole answer of a FastCGI server. */
function say(socket: Socket, text: string): void {
  const head = (type: number, length: number) => Buffer.from([1, type, 0, 1, length >> 8, length & 255, 0, 0]);
  socket.end(Buffer.concat([head(6, text.length), Buffer.from(text), head(3, 8), Buffer.alloc(8)]));
}

type Answers = Readonly<Record<string, (socket: Socket, nth: number) => void>>;

/** Has two processes at work in each pool, of which `answers` decide what it says. Resolves with how often each was asked. */
async function withPools(
  answers: Answers,
  use: (meter: PoolMeter) => Promise<void>,
  work = 'while :; do sleep 0.05; done & sleep 60 & wait',
): Promise<Map<string, number>> {
  const root = temporaryFolder();
  const end = new AbortController();
  const folder = new ProgramFolder(root, /^[a-z]+$/, end.signal);
  const asked = new Map<string, number>();
  for (const [name, answer] of Object.entries(answers)) {
    const named = { accountId: 1, name };
    await folder.start(named, { settings: '', gid: process.getgid?.() ?? 0 }, () =>
      startProgram('sh', ['-c', work], {
        ...{ isAlone: true, isGroup: true, diesWithParent: true, stdio: 'ignore' },
      }),
    );
    const server = createServer((socket) => {
      const nth = (asked.get(name) ?? 0) + 1;
      asked.set(name, nth);
      socket.on('error', () => undefined).once('data', () => answer(socket, nth));
    }).listen(folder.socket(1, name));
    end.signal.addEventListener('abort', () => server.close());
  }
  try {
    for (const name of Object.keys(answers))
      await until(
        `two processes of ${name}`,
        async () => (await lookAt(folder, { accountId: 1, name }))?.workers === 2,
      );
    await use(new PoolMeter(folder));
    return asked;
  } finally {
    end.abort();
  }
}

const GOOD = status('12', '2', '3');

test('pools in foreign hands hold up nobody, and what they say has bounds', async () => {
  const answers: Answers = {
    good: (socket, nth) => say(socket, nth === 1 ? GOOD : status('5', '1', '3')),
    silent: () => undefined,
    huge: (socket) => say(socket, GOOD + 'x'.repeat(60_000)),
    cut: (socket) => socket.end('half'),
    nonsense: (socket) => say(socket, '{"active": 1}'),
    boastful: (socket) => say(socket, status('9999999999', '5000', '7')),
  };
  const asked = await withPools(answers, async (meter) => {
    const start = performance.now();
    const [{ pools, served }] = await Promise.all([meter.read(), meter.read()]);
    assert.ok(performance.now() - start < 2000, 'it does not wait for those that do not answer');
    const byName = new Map(pools.map((each) => [each.name, each]));
    const told = (name: string) => {
      const { active, requests, limitReached } = byName.get(name) ?? {};
      return [active, requests, limitReached];
    };
    // without the one that answers, and the two questions that there were
    assert.equal(told('good'), [1, 10, 3]);
    for (const name of ['silent', 'huge', 'cut', 'nonsense']) assert.equal(told(name), [null, null, null], name);
    assert.equal([told('boastful')[0], told('boastful')[2]], [2, 7], 'no more work than there are processes');
    assert.is(served, 10 + 1_000_000);
    for (const { processes, memoryBytes, runningSeconds } of pools)
      assert.ok(processes === 2 && memoryBytes > 100_000 && memoryBytes < 2 ** 26 && runningSeconds < 100);
    const next = await eventually(
      'a second measurement',
      () => meter.read(),
      (now) => now.pools !== pools,
    );
    const good = next.pools.find(({ name }) => name === 'good');
    assert.equal([good?.requests, good?.active], [10, 0], 'a count does not fall');
  });
  assert.equal(
    [asked.get('good'), asked.get('silent'), asked.get('cut')],
    [2, 1, 1],
    'and who was silent is left alone',
  );
});

test('a pool whose processes have not run since is not asked again', async () => {
  const asked = await withPools(
    { good: (socket) => say(socket, GOOD) },
    async (meter) => {
      let measurements = 0;
      let last: unknown;
      await until('three measurements', async () => {
        const { pools } = await meter.read();
        measurements += pools === last ? 0 : 1;
        last = pools;
        return measurements === 3;
      });
      assert.is((last as { requests: number }[])[0]?.requests, 10);
    },
    'sleep 60 & sleep 60 & wait',
  );
  assert.is(asked.get('good'), 1);
});
