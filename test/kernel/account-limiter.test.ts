import * as assert from 'uvu/assert';
import type { Account } from '../../kernel/identity/accounts.ts';
import { HttpError } from '../../kernel/errors.ts';
import { AccountLimiter } from '../../kernel/concurrency/account-limiter.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('account limiter');
const ann = { id: 1 } as Account;
const bea = { id: 2 } as Account;
const cleo = { id: 3 } as Account;

/** Work that runs until it is released. */
function controlled(
  limiter: AccountLimiter,
  account: Account,
  started: string[],
  name: string,
  signal = new AbortController().signal,
) {
  let finish = () => {};
  const done = limiter.run(account, signal, () => {
    started.push(name);
    return new Promise<string>((resolve) => (finish = () => resolve(name)));
  });
  return { done, finish: () => finish() };
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

// asvs 2.4.1: the limiter for costly work bounds each account
test('no more run at once than the limits say, for the server and for an account', async () => {
  const limiter = new AccountLimiter({ atOnce: 2, perAccount: 1, waiting: 10 });
  const started: string[] = [];
  const [a1, a2, b1, c1] = [
    controlled(limiter, ann, started, 'a1'),
    controlled(limiter, ann, started, 'a2'),
    controlled(limiter, bea, started, 'b1'),
    controlled(limiter, cleo, started, 'c1'),
  ];
  await soon();
  assert.equal(started, ['a1', 'b1'], 'a second one of the same account lets others pass');
  assert.equal([limiter.running, limiter.waiting], [2, 2]);
  b1.finish();
  await b1.done;
  await soon();
  assert.equal(started, ['a1', 'b1', 'c1']);
  a1.finish();
  await a1.done;
  await soon();
  assert.equal(started, ['a1', 'b1', 'c1', 'a2']);
  a2.finish();
  c1.finish();
  assert.equal(await Promise.all([a2.done, c1.done]), ['a2', 'c1']);
  assert.equal([limiter.running, limiter.waiting], [0, 0]);
});

// asvs 15.2.2: the limiter refuses an account beyond its waiting requests, and serves others
test('an account that has too many waiting is refused, others are not', async () => {
  const limiter = new AccountLimiter({ atOnce: 1, perAccount: 1, waiting: 1 });
  const started: string[] = [];
  const first = controlled(limiter, ann, started, 'first');
  const second = controlled(limiter, ann, started, 'second');
  assert.is(
    await limiter.run(ann, new AbortController().signal, async () => 'ran').catch((error: HttpError) => error.code),
    'overloaded',
  );
  const other = controlled(limiter, bea, started, 'other');
  first.finish();
  await first.done;
  await soon();
  second.finish();
  await second.done;
  await soon();
  other.finish();
  assert.equal(started, ['first', 'second', 'other']);
  assert.is(await other.done, 'other');
});

test('waiting accounts are served in turn, regardless of their order of arrival', async () => {
  const limiter = new AccountLimiter({ atOnce: 1, perAccount: 1, waiting: 10, waitingOfAll: 5 });
  const started: string[] = [];
  const names = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'];
  const accounts = { a: ann, b: bea, c: cleo };
  const all = names.map((name) => controlled(limiter, accounts[name[0] as 'a'], started, name));
  const refused = limiter.run(cleo, new AbortController().signal, async () => 'ran');
  assert.is(await refused.catch((error: HttpError) => error.code), 'overloaded', 'as many wait as may');
  for (let i = 0; i < names.length; i += 1) {
    await soon();
    const current = all[names.indexOf(started.at(-1) ?? '')];
    current?.finish();
    await current?.done;
  }
  assert.equal(started, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
});

test('an aborted request leaves the queue, and a failed task frees its slot', async () => {
  const limiter = new AccountLimiter({ atOnce: 1, perAccount: 1, waiting: 5 });
  const started: string[] = [];
  const first = controlled(limiter, ann, started, 'first');
  const gone = new AbortController();
  const second = controlled(limiter, bea, started, 'second', gone.signal);
  const refused = second.done.catch((error: Error) => error.name);
  gone.abort();
  assert.is(await refused, 'AbortError');
  assert.is(limiter.waiting, 0);
  const failing = limiter
    .run(cleo, new AbortController().signal, async () => Promise.reject(new Error('broken')))
    .catch((error: Error) => error.message);
  first.finish();
  assert.is(await failing, 'broken');
  assert.is(await limiter.run(bea, new AbortController().signal, async () => 'free again'), 'free again');
  assert.is(await limiter.run(bea, gone.signal, async () => 'ran').catch((error: Error) => error.name), 'AbortError');
  assert.equal(started, ['first']);
});

test('an abort after the start removes nobody from the queue', async () => {
  const limiter = new AccountLimiter({ atOnce: 1, perAccount: 1, waiting: 5 });
  const started: string[] = [];
  const late = new AbortController();
  const first = controlled(limiter, ann, started, 'first');
  const second = controlled(limiter, ann, started, 'second', late.signal);
  const third = controlled(limiter, ann, started, 'third');
  first.finish();
  await first.done;
  await soon();
  late.abort();
  assert.equal([limiter.running, limiter.waiting], [1, 1]);
  second.finish();
  await second.done;
  await soon();
  third.finish();
  assert.is(await third.done, 'third');
});
