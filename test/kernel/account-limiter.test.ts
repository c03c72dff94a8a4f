import * as assert from 'uvu/assert';
import type { Account } from '../../kernel/identity/accounts.ts';
import { HttpError } from '../../kernel/errors.ts';
import { AccountLimiter } from '../../kernel/concurrency/account-limiter.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('turns');
const ann = { id: 1 } as Account;
const bea = { id: 2 } as Account;
const cleo = { id: 3 } as Account;

/** Work that runs until it is told to end. */
function controlled(
  turns: AccountLimiter,
  account: Account,
  started: string[],
  name: string,
  signal = new AbortController().signal,
) {
  let finish = () => {};
  const done = turns.run(account, signal, () => {
    started.push(name);
    return new Promise<string>((resolve) => (finish = () => resolve(name)));
  });
  return { done, finish: () => finish() };
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

test('no more run at once than the limits say, for the server and for an account', async () => {
  const turns = new AccountLimiter({ atOnce: 2, perAccount: 1, waiting: 10 });
  const started: string[] = [];
  const [a1, a2, b1, c1] = [
    controlled(turns, ann, started, 'a1'),
    controlled(turns, ann, started, 'a2'),
    controlled(turns, bea, started, 'b1'),
    controlled(turns, cleo, started, 'c1'),
  ];
  await soon();
  assert.equal(started, ['a1', 'b1'], 'a second one of the same account lets others pass');
  assert.equal([turns.running, turns.waiting], [2, 2]);
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
  assert.equal([turns.running, turns.waiting], [0, 0]);
});

test('an account that has too many waiting is refused, others are not', async () => {
  const turns = new AccountLimiter({ atOnce: 1, perAccount: 1, waiting: 1 });
  const started: string[] = [];
  const first = controlled(turns, ann, started, 'first');
  const second = controlled(turns, ann, started, 'second');
  assert.is(
    await turns.run(ann, new AbortController().signal, async () => 'ran').catch((error: HttpError) => error.code),
    'overloaded',
  );
  const other = controlled(turns, bea, started, 'other');
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

test('whoever goes away gives the turn up, and a failure passes it on', async () => {
  const turns = new AccountLimiter({ atOnce: 1, perAccount: 1, waiting: 5 });
  const started: string[] = [];
  const first = controlled(turns, ann, started, 'first');
  const gone = new AbortController();
  const second = controlled(turns, bea, started, 'second', gone.signal);
  const refused = second.done.catch((error: Error) => error.name);
  gone.abort();
  assert.is(await refused, 'AbortError');
  assert.is(turns.waiting, 0);
  const failing = turns
    .run(cleo, new AbortController().signal, async () => Promise.reject(new Error('broken')))
    .catch((error: Error) => error.message);
  first.finish();
  assert.is(await failing, 'broken');
  assert.is(await turns.run(bea, new AbortController().signal, async () => 'free again'), 'free again');
  assert.is(await turns.run(bea, gone.signal, async () => 'ran').catch((error: Error) => error.name), 'AbortError');
  assert.equal(started, ['first']);
});
