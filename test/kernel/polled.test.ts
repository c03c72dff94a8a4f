/** What a polled value returns in each of its states, how often it measures, and when it stops. */
import { setTimeout as delay } from 'node:timers/promises';
import * as assert from '../support/assert.ts';
import { Polled, type PolledOptions } from '../../kernel/kit/waiting/polled.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('polled');
/** What does not end by itself during a test. */
const LONG_MS = 600_000;

type Given = Partial<PolledOptions<string>>;
type Step = 'read' | 'succeed' | 'fail' | 'succeed at once' | 'fail at once';

/** A value whose measurements are numbered and end as a test says. */
function polledWith(options: Given) {
  const [pending, states]: [PromiseWithResolvers<string>[], string[]] = [[], []];
  let [measured, atOnce]: [number, 'succeed' | 'fail' | undefined] = [0, undefined];
  const polled = new Polled<string>({
    freshMs: LONG_MS,
    failed: (error) => `refused: ${String(error)}`,
    onStateChange: (error) => states.push(error === undefined ? 'up' : String(error)),
    ...options,
    measure: () => {
      measured += 1;
      if (atOnce === 'succeed') return `v${measured}`;
      if (atOnce === 'fail') throw `e${measured}`;
      const next = withResolvers();
      pending.push(next);
      return next.promise;
    },
  });
  const end = async (how: 'succeed' | 'fail') => {
    const next = pending.shift();
    if (how === 'succeed') next?.resolve(`v${measured}`);
    else next?.reject(`e${measured}`);
    await new Promise(setImmediate);
  };
  return { polled, states, end, setAtOnce: (how: typeof atOnce) => (atOnce = how), measured: () => measured };
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

function withResolvers(): PromiseWithResolvers<string> {
  let [resolve, reject]: [(value: string) => void, (error: unknown) => void] = [() => {}, () => {}];
  const promise = new Promise<string>((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
}

/** Reads now: the value, `waits`, or what is thrown. */
function readNow(polled: Polled<string>, waiting: Promise<string>[]): string {
  try {
    const result = polled.read();
    if (!(result instanceof Promise)) return result;
    waiting.push(result.catch((error: unknown) => String(error)));
    return 'waits';
  } catch (error) {
    return String(error);
  }
}

/** After the steps: what each read returned at once, what those that waited got, how often it measured, and changes of state. */
const ROWS: readonly {
  readonly what: string;
  readonly options?: Given;
  readonly steps: readonly Step[];
  readonly reads: readonly string[];
  readonly got?: readonly string[];
  readonly measured: number;
  readonly states?: readonly string[];
}[] = [
  {
    what: 'one measurement serves all who wait, and is kept',
    steps: ['read', 'read', 'succeed', 'read'],
    reads: ['waits', 'waits', 'v1'],
    got: ['v1', 'v1'],
    measured: 1,
  },
  {
    what: 'what is no promise is returned in the same tick',
    steps: ['succeed at once', 'read', 'read'],
    reads: ['v1', 'v1'],
    measured: 1,
  },
  {
    what: 'an old value is measured again',
    options: { freshMs: 0 },
    steps: ['read', 'succeed', 'read', 'succeed'],
    reads: ['waits', 'waits'],
    got: ['v1', 'v2'],
    measured: 2,
  },
  {
    what: 'a stale value is returned while it is measured again',
    options: { freshMs: 0, staleMs: LONG_MS },
    steps: ['read', 'succeed', 'read', 'read', 'succeed', 'read'],
    reads: ['waits', 'v1', 'v1', 'v2'],
    got: ['v1'],
    measured: 3,
  },
  {
    what: 'a stale value outlives a failure',
    options: { freshMs: 0, staleMs: LONG_MS, retryMs: LONG_MS },
    steps: ['read', 'succeed', 'read', 'fail', 'read', 'read'],
    reads: ['waits', 'v1', 'v1', 'v1'],
    got: ['v1'],
    measured: 2,
    states: ['e2'],
  },
  {
    what: 'a failure is not kept: the next call measures',
    steps: ['read', 'fail', 'read', 'fail', 'read', 'succeed', 'read'],
    reads: ['waits', 'waits', 'waits', 'v3'],
    got: ['refused: e1', 'refused: e2', 'v3'],
    measured: 3,
    states: ['e1', 'up'],
  },
  {
    what: 'a failure at once is thrown at once',
    steps: ['fail at once', 'read', 'succeed at once', 'read'],
    reads: ['refused: e1', 'v2'],
    measured: 2,
    states: ['e1', 'up'],
  },
  {
    what: 'during the pause after a failure calls are refused and measure nothing',
    options: { retryMs: LONG_MS },
    steps: ['read', 'fail', 'read', 'read'],
    reads: ['waits', 'refused: e1', 'refused: e1'],
    got: ['refused: e1'],
    measured: 1,
    states: ['e1'],
  },
  {
    what: 'the pause may depend on the error',
    options: { retryMs: (error) => (error === 'e1' ? 0 : LONG_MS) },
    steps: ['read', 'fail', 'read', 'fail', 'read'],
    reads: ['waits', 'waits', 'refused: e2'],
    got: ['refused: e1', 'refused: e2'],
    measured: 2,
    states: ['e1'],
  },
  {
    what: 'while it is known to be down calls measure, but do not wait',
    options: { knownDownMs: LONG_MS },
    steps: ['read', 'fail', 'read', 'read', 'succeed', 'read'],
    reads: ['waits', 'refused: e1', 'refused: e1', 'v2'],
    got: ['refused: e1'],
    measured: 2,
    states: ['e1', 'up'],
  },
];

for (const { what, options = {}, steps, reads, got = [], measured, states = [] } of ROWS)
  test(what, async () => {
    const value = polledWith(options);
    const [seen, waiting]: [string[], Promise<string>[]] = [[], []];
    for (const step of steps) {
      if (step === 'read') seen.push(readNow(value.polled, waiting));
      else if (step === 'succeed' || step === 'fail') await value.end(step);
      else value.setAtOnce(step === 'fail at once' ? 'fail' : 'succeed');
    }
    assert.equal(seen, reads);
    assert.equal(await Promise.all(waiting.slice(0, got.length)), got);
    assert.equal([value.measured(), value.states], [measured, states]);
  });

test('a caller waits for a bounded time, and the measurement goes on', async () => {
  const { polled, end, measured } = polledWith({ waitMs: 20, late: () => new Error('late') });
  assert.match(await Promise.resolve(polled.read()).catch(String), /late/);
  await end('succeed');
  assert.equal([polled.read(), measured()], ['v1', 1]);
});

test('the age may depend on how long a measurement took', async () => {
  const tooks: number[] = [];
  const { polled, end } = polledWith({ freshMs: (tookMs) => (tooks.push(tookMs), 0) });
  void polled.read();
  await delay(20);
  await end('succeed');
  assert.ok((tooks[0] ?? 0) >= 15, `${tooks[0]} ms`);
  assert.ok((polled.ageMs ?? Infinity) < LONG_MS);
});

test('the timer measures while somebody polls, also after failures, and then stops', async () => {
  const { polled, setAtOnce, measured } = polledWith({ everyMs: 5, idleMs: 100, retryMs: LONG_MS });
  assert.equal([polled.isUp, polled.latest, polled.ageMs], [undefined, undefined, undefined]);
  setAtOnce('fail');
  assert.throws(
    () => polled.read(),
    (error: unknown) => error === 'refused: e1',
  );
  await until('it is measured again', () => measured() > 2);
  assert.is(polled.isUp, false);
  setAtOnce('succeed');
  await until('it is up', () => polled.isUp === true);
  await delay(300);
  const before = measured();
  await delay(50); // only waiting shows that nothing is measured any more
  assert.is(measured(), before);
  assert.is(polled.latest, `v${before}`);
});

test('closing waits for a measurement, and later calls start no timer', async () => {
  const { polled, end, measured, states } = polledWith({ everyMs: 5, idleMs: LONG_MS });
  void Promise.resolve(polled.read()).catch(() => undefined);
  const closed = polled.close();
  await end('fail');
  await closed;
  assert.equal(states, [], 'what fails because of the end is not reported');
  void Promise.resolve(polled.read()).catch(() => undefined);
  await end('fail');
  await delay(30);
  assert.is(measured(), 2);
});
