import * as assert from '../support/assert.ts';
import { HttpError } from '../../kernel/errors.ts';
import { WorkerPool, type WorkerPoolOptions } from '../../kernel/kit/waiting/worker-pool.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('thread');

async function during(
  options: Partial<WorkerPoolOptions>,
  work: (thread: WorkerPool<string, string | number>) => Promise<void>,
): Promise<void> {
  const thread = new WorkerPool<string, string | number>({
    beside: new URL('../support/', import.meta.url).href + (import.meta.url.endsWith('.ts') ? 'x.ts' : 'x.js'),
    script: 'echo-thread',
    waiting: 100,
    ...options,
  });
  try {
    await work(thread);
  } finally {
    await thread.close();
  }
}

const errorOf = (promise: Promise<unknown>): Promise<Error & { code?: string }> =>
  promise.then(
    () => Promise.reject(new Error('it was answered')),
    (error: unknown) => error as Error & { code?: string },
  );

test('answers reach their callers', () =>
  during({}, async (thread) => {
    assert.not.ok(thread.isStarted);
    const answers = await Promise.all(['a', 'count', 'b', 'c'].map((question) => thread.ask(question)));
    assert.equal(answers, ['A', 2, 'B', 'C']);
    assert.ok(thread.isStarted);
  }));

test("the script's errors reject the call, an HttpError as such", () =>
  during({}, async (thread) => {
    const refused = await errorOf(thread.ask('refuse'));
    assert.instance(refused, HttpError);
    assert.is(refused.code, 'folder_not_found');
    assert.is(refused.message, 'there is no such folder');
    const failed = await errorOf(thread.ask('fail'));
    assert.not.instance(failed, HttpError);
    assert.is(failed.code, 'EBROKEN');
    assert.is(await thread.ask('after'), 'AFTER');
  }));

test('a task that takes too long is rejected, and later ones run in a new thread', () =>
  during({ timeoutMs: 3000 }, async (thread) => {
    const [hung, next] = [errorOf(thread.ask('hang')), thread.ask('count')];
    const refused = await hung;
    assert.instance(refused, HttpError);
    assert.is(refused.code, 'overloaded');
    assert.is(await next, 1);
  }));

test('the time limit of a finished task ends no thread', () =>
  during({ timeoutMs: 2000 }, async (thread) => {
    const start = performance.now();
    for (let n = 1; performance.now() - start < 2500; n += 1) assert.is(await thread.ask('count'), n);
  }));

test('an answer that is there counts, however late this process gets to it', () =>
  during({ timeoutMs: 100 }, async (thread) => {
    while ((await thread.ask('count').catch(() => 0)) === 0); // it has started in time
    await new Promise((resolve) => setImmediate(resolve)); // after which timers come first
    const asked = thread.ask('count');
    for (const start = performance.now(); performance.now() - start < 300;);
    assert.type(await asked, 'number');
  }));

test('a thread that exits is replaced', () =>
  during({}, async (thread) => {
    assert.is((await errorOf(thread.ask('die'))).message, 'the thread echo-thread exited');
    assert.is(await thread.ask('count'), 1);
  }));

// asvs 15.2.2: a worker pool refuses requests beyond its queue with 503
test('beyond those that may wait a question is refused at once', () =>
  during({ waiting: 2 }, async (thread) => {
    const asked = ['a', 'b', 'c', 'd', 'e'].map((question) =>
      thread.ask(question).catch((error: HttpError) => error.code),
    );
    assert.equal(await Promise.all(asked), ['A', 'B', 'C', 'overloaded', 'overloaded']);
  }));

test('closing rejects unfinished tasks and later ones', () =>
  during({}, async (thread) => {
    const asked = ['hang', 'b'].map((question) => errorOf(thread.ask(question)));
    await thread.close();
    for (const error of [...(await Promise.all(asked)), await errorOf(thread.ask('c'))])
      assert.is(error.code, 'overloaded');
  }));

test('an idle thread ends, and a new one starts on demand', () =>
  during({ idleMs: 1 }, async (thread) => {
    assert.is(await thread.ask('count'), 1);
    while (thread.isStarted) await new Promise((resolve) => setImmediate(resolve));
    assert.is(await thread.ask('count'), 1);
  }));
