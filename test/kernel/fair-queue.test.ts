import * as assert from '../support/assert.ts';
import { FairQueue } from '../../kernel/kit/waiting/fair-queue.ts';
import { codeOf } from '../support/code-of.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('fair queue');
const [ann, bea, cleo] = [1, 2, 3] as const;
type Options = NonNullable<Parameters<FairQueue['run']>[2]>;

/** Work that runs until it is released. */
function controlled(queue: FairQueue, client: number, started: string[], name: string, options: Options = {}) {
  let finish = () => {};
  const work = () => {
    started.push(name);
    return new Promise<string>((resolve) => (finish = () => resolve(name)));
  };
  const done = queue.run(client, work, options);
  return {
    done,
    finish: async () => {
      finish();
      return done;
    },
  };
}

// asvs 2.4.1: the queue for costly work bounds each account
test('no more run at once than the limits say, for the server and for a client', async () => {
  const queue = new FairQueue({ slots: 2, perClient: 1, waiting: 10 });
  const started: string[] = [];
  const a1 = controlled(queue, ann, started, 'a1');
  const a2 = controlled(queue, ann, started, 'a2');
  const b1 = controlled(queue, bea, started, 'b1');
  const c1 = controlled(queue, cleo, started, 'c1');
  assert.equal(started, ['a1', 'b1'], 'a second one of the same client lets others pass');
  assert.equal([queue.running, queue.waiting], [2, 2]);
  await b1.finish();
  assert.equal(started, ['a1', 'b1', 'c1']);
  await a1.finish();
  assert.equal(started, ['a1', 'b1', 'c1', 'a2']);
  assert.equal(await Promise.all([a2.finish(), c1.finish()]), ['a2', 'c1']);
  assert.equal([queue.running, queue.waiting], [0, 0]);
});

// asvs 15.2.2: the queue refuses a client beyond its waiting tasks, and serves others
test('a client that has too many waiting is refused, others are not', async () => {
  const queue = new FairQueue({ slots: 1, waiting: 1, waitingOfAll: 2 });
  const started: string[] = [];
  const first = controlled(queue, ann, started, 'first');
  const second = controlled(queue, ann, started, 'second');
  assert.is(await codeOf(queue.run(ann, async () => 'ran')), 'overloaded');
  const other = controlled(queue, bea, started, 'other');
  assert.is(await codeOf(queue.run(cleo, async () => 'ran')), 'overloaded', 'as many wait as may');
  for (const each of [first, second, other]) void each.done;
  await first.finish();
  await Promise.race([second.finish(), other.finish()]);
  await Promise.all([second.finish(), other.finish()]);
  assert.equal(started.toSorted(), ['first', 'other', 'second']);
});

test('the client with the least recent cost goes first', async () => {
  let now = 0;
  const queue = new FairQueue({ slots: 1, now: () => now });
  const started: string[] = [];
  const names = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1'];
  const clients = { a: ann, b: bea, c: cleo };
  const tasks = new Map(names.map((name) => [name, controlled(queue, clients[name[0] as 'a'], started, name)]));
  const tookMs = { a: 1000, b: 100, c: 100 };
  while (started.length < names.length) {
    const name = started.at(-1) ?? '';
    now += tookMs[name[0] as 'a'];
    await tasks.get(name)?.finish();
  }
  assert.equal(started, ['a1', 'b1', 'c1', 'b2', 'b3', 'a2', 'a3']);
});

test('an expensive client waits no longer than its work, and recovers with time', async () => {
  let now = 0;
  const queue = new FairQueue({ slots: 1, now: () => now });
  const started: string[] = [];
  const expensive = controlled(queue, ann, started, 'expensive');
  now = 1000;
  const waiting = controlled(queue, ann, started, 'waiting');
  let current = controlled(queue, bea, started, 'b');
  await expensive.finish();
  for (let i = 0; !started.includes('waiting'); i += 1) {
    assert.ok(i < 21, 'it starves');
    const next = controlled(queue, 100 + i, started, 'light');
    now += 50;
    await current.finish();
    current = next;
  }
  assert.ok(started.length > 10, 'others went first');
  await waiting.finish();
  await current.finish();
  now += 200_000;
  started.length = 0;
  const running = controlled(queue, cleo, started, 'running');
  const forgiven = controlled(queue, ann, started, 'forgiven');
  now += 1;
  const fresh = controlled(queue, 7, started, 'fresh');
  await running.finish();
  await forgiven.finish();
  await fresh.finish();
  assert.equal(started, ['running', 'forgiven', 'fresh']);
});

test('reserved tasks go first and have their own waiting room and slots', async () => {
  const queue = new FairQueue({ slots: 2, waiting: 1, waitingOfAll: 1, reservedSlots: 1 });
  const started: string[] = [];
  const common = controlled(queue, ann, started, 'common');
  const waiting = controlled(queue, bea, started, 'waiting');
  assert.is(await codeOf(queue.run(cleo, async () => 'ran')), 'overloaded');
  assert.equal(started, ['common'], 'the second slot is kept free');
  const reserved = controlled(queue, cleo, started, 'reserved', { isReserved: true });
  const second = controlled(queue, cleo, started, 'second', { isReserved: true });
  assert.equal(started, ['common', 'reserved']);
  await common.finish();
  assert.equal(started, ['common', 'reserved', 'second'], 'it overtakes the one that came before it');
  await reserved.finish();
  assert.equal(started, ['common', 'reserved', 'second', 'waiting']);
  await Promise.all([second.finish(), waiting.finish()]);
});

test('an aborted request leaves the queue, and a failed task frees its slot', async () => {
  const queue = new FairQueue({ slots: 1 });
  const started: string[] = [];
  const first = controlled(queue, ann, started, 'first');
  const gone = new AbortController();
  const second = controlled(queue, bea, started, 'second', { signal: gone.signal });
  const refused = second.done.catch((error: Error) => error.name);
  gone.abort();
  assert.is(await refused, 'AbortError');
  assert.is(queue.waiting, 0);
  const failing = queue.run(cleo, () => Promise.reject(new Error('broken'))).catch((error: Error) => error.message);
  await first.finish();
  assert.is(await failing, 'broken');
  assert.is(await queue.run(bea, async () => 'free again'), 'free again');
  const late = queue.run(bea, async () => 'ran', { signal: gone.signal });
  assert.is(await late.catch((error: Error) => error.name), 'AbortError');
  assert.equal(started, ['first']);
});

test('an abort after the start removes nobody from the queue', async () => {
  const queue = new FairQueue({ slots: 1 });
  const started: string[] = [];
  const late = new AbortController();
  const first = controlled(queue, ann, started, 'first');
  const second = controlled(queue, ann, started, 'second', { signal: late.signal });
  const third = controlled(queue, ann, started, 'third');
  await first.finish();
  late.abort();
  assert.equal([queue.running, queue.waiting], [1, 1]);
  await second.finish();
  assert.is(await third.finish(), 'third');
});
