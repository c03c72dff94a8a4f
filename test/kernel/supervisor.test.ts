import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as assert from '../support/assert.ts';
import { createLog } from '../../kernel/log.ts';
import type { ChildProcess } from '../../kernel/kit/programs/start-program.ts';
import type { ToSupervisor, ToWorker } from '../../kernel/workers/messages.ts';
import { Supervisor } from '../../kernel/run/serving/supervisor.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('supervisor');

/** A worker without a process. */
class FakeWorker extends EventEmitter {
  readonly heard: ToWorker[] = [];
  connected = true;
  exitCode: number | null = null;
  signalCode: string | null = null;
  answersPings = true;
  answersReloads = true;

  send(message: ToWorker): void {
    this.heard.push(message);
    if (message.kind === 'ping' && this.answersPings) this.say({ kind: 'pong' });
    if (message.kind === 'reload' && this.answersReloads) this.say({ kind: 'reloaded', refusal: undefined });
    if (message.kind === 'stop' && this.answersPings) this.#close(0, null);
  }

  say(message: ToSupervisor): void {
    queueMicrotask(() => this.emit('message', message));
  }

  kill(signal: string): void {
    this.#close(null, signal);
  }

  count(kind: ToWorker['kind']): number {
    return this.heard.filter((message) => message.kind === kind).length;
  }

  #close(code: number | null, signal: string | null): void {
    [this.connected, this.exitCode, this.signalCode] = [false, code, signal];
    setImmediate(() => this.emit('close'));
  }
}

function supervised(count: number) {
  const workers: FakeWorker[] = [];
  const start = () => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker as unknown as ChildProcess;
  };
  const supervisor = new Supervisor({ count, start, settings: 'first', log: createLog('silent'), pingMs: 5 });
  return { supervisor, workers };
}

test('one that is stopped before it starts any has nothing to do', async () => {
  const { supervisor, workers } = supervised(2);
  supervisor.stop();
  supervisor.start();
  assert.is(await supervisor.ended, 0);
  assert.is(workers.length, 0);
});

test('an unresponsive worker is killed and replaced; a starting one is not', async () => {
  const { supervisor, workers } = supervised(2);
  supervisor.start();
  const [first] = workers;
  first?.say({ kind: 'serving', ports: {} });
  await until('the second one starts', () => workers.length === 2);
  const [, second] = workers;
  if (second !== undefined) second.answersPings = false;
  await until('the first one is asked again and again', () => (first?.count('ping') ?? 0) > 30);
  assert.is(second?.count('ping'), 0, 'a start may take long');
  assert.is(workers.length, 2);
  second?.say({ kind: 'serving', ports: {} });
  await until('it is replaced', () => workers.length === 3);
  assert.equal([first?.signalCode, second?.signalCode, second?.count('ping')], [null, 'SIGKILL', 10]);
  supervisor.stop();
  assert.is(await supervisor.ended, 0);
});

test('of workers that died together, one starts alone, and expects free ports', async () => {
  const { supervisor, workers } = supervised(2);
  supervisor.start();
  workers[0]?.say({ kind: 'serving', ports: {} });
  await until('the second one starts', () => workers.length === 2);
  workers[1]?.say({ kind: 'serving', ports: {} });
  await until('it serves', () => (workers[1]?.count('ping') ?? 0) > 0);
  for (const worker of workers.slice()) worker.kill('SIGKILL');
  await until('one is replaced', () => workers.length === 3);
  await nextTurn();
  assert.is(workers.length, 3);
  workers[2]?.say({ kind: 'serving', ports: {} });
  await until('so is the other one', () => workers.length === 4);
  const starts = workers.map(({ heard }) => heard.flatMap((each) => (each.kind === 'start' ? [each.isFirst] : [])));
  assert.equal(starts, [[true], [false], [true], [false]]);
  supervisor.stop();
  assert.is(await supervisor.ended, 0);
});

test('a worker that hangs while it starts does not keep the node from its end', async () => {
  const { supervisor, workers } = supervised(2);
  supervisor.start();
  workers[0]?.say({ kind: 'serving', ports: {} });
  await until('the second one starts', () => workers.length === 2);
  const [first, second] = workers;
  if (second !== undefined) second.answersPings = false;
  supervisor.stop();
  assert.is(await supervisor.ended, 1);
  assert.equal([first?.exitCode, second?.signalCode], [0, 'SIGKILL']);
});

test('a worker that the stop ends before it handles signals has not failed', async () => {
  for (const [signal, isServing, code] of [
    ['SIGTERM', false, 0],
    ['SIGTERM', true, 1],
    ['SIGSEGV', false, 1],
  ] as const) {
    const { supervisor, workers } = supervised(2);
    supervisor.start();
    const [first] = workers;
    first?.say({ kind: 'serving', ports: {} });
    await until('the second one starts', () => workers.length === 2);
    const [, second] = workers;
    if (isServing) second?.say({ kind: 'serving', ports: {} });
    await nextTurn(); // in which it is heard
    second?.kill(signal);
    supervisor.stop();
    assert.is(await supervisor.ended, code, `${signal} ${isServing}`);
  }
});

test('a reload reaches a worker that begins to serve while the first one tries it', async () => {
  const { supervisor, workers } = supervised(2);
  supervisor.start();
  const [first] = workers as [FakeWorker];
  first.answersReloads = false;
  first.say({ kind: 'serving', ports: {} });
  await until('the second one starts', () => workers.length === 2);
  const reloading = supervisor.reload('second');
  await until('the first one tries it', () => first.count('reload') === 1);
  workers[1]?.say({ kind: 'serving', ports: {} });
  await until('the second one serves', () => (workers[1]?.count('ping') ?? 0) > 0);
  first.say({ kind: 'reloaded', refusal: undefined });
  await reloading;
  assert.equal(
    workers[1]?.heard.filter(({ kind }) => kind === 'reload'),
    [{ kind: 'reload', settings: 'second' }],
  );
  supervisor.stop();
  assert.is(await supervisor.ended, 0);
});

test('a reload waits for a worker that has just started with older settings', async () => {
  const { supervisor, workers } = supervised(2);
  supervisor.start();
  const [first] = workers as [FakeWorker];
  first.say({ kind: 'serving', ports: {} });
  await until('the second one starts', () => workers.length === 2);
  const [, second] = workers as [FakeWorker, FakeWorker];
  await supervisor.reload('second');
  second.answersReloads = false;
  second.say({ kind: 'serving', ports: {} });
  await until('it is told', () => second.count('reload') === 1);
  const reloading = supervisor.reload('third');
  await new Promise(setImmediate);
  assert.is(first.count('reload'), 1);
  second.answersReloads = true;
  second.say({ kind: 'reloaded', refusal: undefined });
  await reloading;
  for (const { heard } of workers)
    assert.equal(
      heard.filter(({ kind }) => kind === 'reload'),
      ['second', 'third'].map((settings) => ({ kind: 'reload', settings })),
    );
  supervisor.stop();
  assert.is(await supervisor.ended, 0);
});

test('a reload waits until a worker serves', async () => {
  const { supervisor, workers } = supervised(1);
  const [reloading, refusing] = [supervisor.reload('second'), supervisor.refuse('of a third')];
  supervisor.start();
  const [worker] = workers;
  assert.is(worker?.count('reload'), 0);
  worker?.say({ kind: 'serving', ports: {} });
  await Promise.all([reloading, refusing]);
  assert.equal(
    worker?.heard.filter(({ kind }) => kind !== 'ping'),
    [
      { kind: 'start', number: 1, count: 1, settings: 'first', ports: {}, isFirst: true },
      { kind: 'reload', settings: 'second' },
      { kind: 'record', refusal: undefined },
      { kind: 'record', refusal: 'of a third' },
    ],
  );
  supervisor.stop();
  assert.is(await supervisor.ended, 0);
});
