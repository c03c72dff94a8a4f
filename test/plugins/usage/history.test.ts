import { join } from 'node:path';
import { mock } from 'node:test';
import * as assert from '../../support/assert.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { createLog } from '../../../kernel/log.ts';
import type { ExtensionPoints } from '../../../kernel/contract/extension-points.ts';
import { SqliteEngine } from '../../../kernel/store/sqlite/sqlite-engine.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { Broadcast } from '../../../plugins/usage/sampling/broadcast.ts';
import { memoryReply } from '../../../plugins/usage/sampling/memory-reply.ts';
import { Counts } from '../../../plugins/usage/history/counts.ts';
import { minuteRow, Recorder } from '../../../plugins/usage/history/recorder.ts';
import { bucketed, plannedRange } from '../../../plugins/usage/history/time-series.ts';
import { RecentSamples } from '../../../plugins/usage/sampling/recent-samples.ts';
import { Sampler, type Readers } from '../../../plugins/usage/sampling/sampler.ts';
import { Sample } from '../../../plugins/usage/sampling/sample.ts';
import { DailyStats } from '../../../plugins/usage/history/daily-stats.ts';
import { UsageStore } from '../../../plugins/usage/history/store.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { SharedCounter } from '../../../kernel/workers/shared-counter.ts';
import { soleWorker } from '../../../kernel/workers/sole-worker.ts';
import { testSuite } from '../../support/suite.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { pick } from '../../support/lists.ts';

const test = testSuite('usage over time');
const log = createLog('silent');
let store: Store;
/** Nothing of the sampler keeps a process alive, as it must not keep a server from its end. */
const alive = setInterval(() => {}, 1000);
test.after(() => clearInterval(alive));
test.after.each(() => mock.timers.reset());
test.before(async () => {
  store = await SqliteEngine.open(join(temporaryFolder(), 'node.db'));
  await migrate(store, 'usage', join(projectDir, 'plugins/usage/migrations/local'));
});
test.after(() => store.close());
test.before.each(() =>
  store.write(async (tx) => {
    await tx.run('delete from usage_history');
    await tx.run('delete from usage_days');
  }),
);

/** A host whose cores have been busy for half of the readings, and that counts how often it is read. */
function host(): Readers & { reads: number } {
  const made = {
    reads: 0,
    cpu: async () => {
      made.reads += 1;
      return { cores: { core_0: 50 }, percent: 50 };
    },
    memory: async () => ({ total: 1000, available: 750 }),
    disks: async () => [
      { device: '/dev/sda1', fstype: 'ext4', mountpoint: '/', total: 100, used: 20, free: 60, percent: 25 },
    ],
  };
  return made;
}

function sampleOf(at: number, spanMs: number, cpu: number): Sample {
  const cores = { core_0: cpu };
  return new Sample({
    at,
    spanMs,
    isLive: true,
    cpu: { status: 'fulfilled', value: { cores, percent: cpu } },
    memory: { status: 'fulfilled', value: { total: 100, available: 60 } },
    disks: { status: 'rejected', reason: new Error('no table') },
  });
}

const nextSample = (sampler: Sampler) =>
  new Promise<Sample>((resolve) => {
    const end = sampler.listen((sample) => {
      end();
      resolve(sample);
    });
  });

test('the first reader gets a current sample, and concurrent readers the same one', async () => {
  const readers = host();
  const sampler = new Sampler(readers, 1000, log);
  const [first, second] = await Promise.all([sampler.read(), sampler.read()]);
  assert.is(first, second);
  assert.is(first?.cpu.value?.percent, 50);
  assert.ok((first?.spanMs ?? 0) >= 90, 'two readings a tenth of a second apart');
  assert.is(readers.reads, 2);
  sampler.close();
});

test('reading often does not sample more often; bytes are made once', async () => {
  const readers = host();
  const sampler = new Sampler(readers, 1000, log);
  await sampler.read();
  const before = readers.reads;
  const kept = sampler.read();
  assert.instance(kept, Sample);
  for (let i = 0; i < 10_000; i += 1) assert.is((sampler.read() as Sample).cpu.reply, (kept as Sample).cpu.reply);
  assert.is(readers.reads, before);
  sampler.close();
});

test('it takes samples while somebody reads, then rests, and wakes for the next reader', async () => {
  const readers = host();
  const sampler = new Sampler(readers, 20, log, 60);
  await sampler.read();
  await nextSample(sampler);
  assert.instance(sampler.read(), Sample);
  while (!(await restsOrSamples(sampler))) assert.ok(sampler.taken < 20, 'it never rests');
  const { taken } = sampler;
  assert.is(await sampler.record().then(() => sampler.taken), taken + 1, 'a record is one sample and wakes nobody');
  assert.instance(sampler.read(), Promise);
  sampler.close();
});

/** Whether no sample came for several intervals. */
function restsOrSamples(sampler: Sampler): Promise<boolean> {
  return Promise.race([
    nextSample(sampler).then(() => false),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 200)),
  ]);
}

test('it does not rest while somebody follows', async () => {
  const sampler = new Sampler(host(), 10, log, 10);
  sampler.isFollowed = () => true;
  await sampler.read();
  for (let i = 0; i < 12; i += 1) await nextSample(sampler);
  assert.instance(sampler.read(), Sample);
  sampler.close();
});

test('a figure that cannot be read does not affect the others', async () => {
  const sampler = new Sampler({ ...host(), memory: () => Promise.reject(new Error('no proc')) }, 1000, log);
  const sample = await sampler.read();
  assert.is(sample.cpu.reply.status, undefined);
  assert.throws(
    () => sample.memory.reply,
    (error: { status?: number; headers?: object }) =>
      error.status === 503 && JSON.stringify(error.headers) === '{"Retry-After":"5"}',
  );
  assert.match(sample.event, /"memory":null/);
  sampler.close();
});

test('memory is told in bytes and in GB', () => {
  assert.equal(memoryReply({ total: 4 * 2 ** 30, available: 3.5 * 2 ** 30 }), {
    human_readable_info: { available: '3.50 GB', percent: '12.5%', total: '4.00 GB', used: '0.50 GB' },
    ram_info: { available: 3_758_096_384, percent: 12.5, total: 4_294_967_296, used: 536_870_912 },
  });
});

test('ten minutes of samples are kept, and replayed from the one seen last', () => {
  const recent = new RecentSamples();
  for (let i = 0; i <= 700; i += 1) recent.add(sampleOf(i * 1000, 1000, 1));
  assert.is(recent.samples[0]?.at, 100_000);
  assert.equal(pick(recent.after(698_000), 'at'), [699_000, 700_000]);
  for (let i = 0; i < 5000; i += 1) recent.add(sampleOf(700_001 + i, 1, 1));
  assert.is(recent.samples.length, 1200, 'however often is sampled');
});

test('a clock set back leaves no future samples and goes on', async () => {
  const recent = new RecentSamples();
  for (const at of [1000, 2000, 3000]) recent.add(sampleOf(at, 1000, 1));
  recent.add(sampleOf(1500, 0, 1));
  assert.equal(pick(recent.samples, 'at'), [1000, 1500]);
  const sampler = new Sampler(host(), 1000, log);
  const real = Date.now;
  try {
    Date.now = () => real() + 3_600_000;
    await sampler.record();
    Date.now = real;
    const { at, spanMs } = await sampler.record();
    assert.ok(at <= real() && spanMs === 0);
  } finally {
    Date.now = real;
    sampler.close();
  }
});

const OPERATOR = { id: 1, role: 'admin' } as Account;

/** A client's end of a stream that takes so many chunks before it falls behind. */
function sinkOf(room: number) {
  const sink = {
    chunks: [] as string[],
    isBehind: false,
    isEnded: false,
    write: (chunk: string | Uint8Array) => {
      sink.chunks.push(String(chunk));
      sink.isBehind = sink.chunks.length >= room;
      return !sink.isBehind;
    },
    onDrain: () => undefined,
    end: () => void (sink.isEnded = true),
    abort: () => undefined,
  };
  return sink;
}

test('a slow client loses samples and delays no other', () => {
  const recent = new RecentSamples();
  const broadcast = new Broadcast(
    recent,
    { streams: 10, streams_of_user: 0, streams_of_admin: 10 },
    new SharedCounter(soleWorker(), 'streams'),
  );
  const [quick, slow] = [sinkOf(100), sinkOf(2)];
  for (const sink of [quick, slow]) broadcast.open('', OPERATOR).open(sink);
  for (const at of [1, 2, 3]) broadcast.sendSample(sampleOf(at, 1, 1));
  assert.equal([quick.chunks.length, slow.chunks.length], [4, 2], 'the first chunk says when to come back');
  slow.isBehind = false;
  broadcast.sendSample(sampleOf(4, 1, 1));
  assert.match(slow.chunks[2] ?? '', /^id: 4\n/);
  for (let at = 10; at < 30; at += 1) recent.add(sampleOf(at, 1, 1));
  const again = sinkOf(5);
  broadcast.open('10', OPERATOR).open(again);
  assert.is(again.chunks.length, 5, 'what was missed stops where the client does');
  assert.is(broadcast.size, 3);
  broadcast.close();
  assert.ok(quick.isEnded && slow.isEnded && again.isEnded);
});

// threat weak-limiter: one account cannot take all streams, nor can one administrator's token
test('one account cannot take all streams, an administrator neither', () => {
  const broadcast = new Broadcast(
    new RecentSamples(),
    { streams: 6, streams_of_user: 2, streams_of_admin: 3 },
    new SharedCounter(soleWorker(), 'streams'),
  );
  const open = (account: Pick<Account, 'id' | 'role'>, times: number) => {
    const sinks = Array.from({ length: times }, () => sinkOf(100));
    return sinks.map((sink) => ({ sink, close: broadcast.open('', account as Account).open(sink) }));
  };
  const taken = open(OPERATOR, 3);
  assert.throws(() => open(OPERATOR, 1), /the account already has 3 open streams/);
  open({ id: 2, role: 'user' }, 2);
  assert.throws(() => open({ id: 2, role: 'user' }, 1), /the account already has 2 open streams/);
  open({ id: 3, role: 'admin' }, 1);
  assert.throws(() => open({ id: 4, role: 'admin' }, 1), /the limit of 6 open streams is reached/);
  taken[0]?.close();
  open(OPERATOR, 1);
  broadcast.close();
});

test('a stream carries a heartbeat every fifteen seconds', () => {
  mock.timers.enable({ apis: ['setInterval'] });
  const broadcast = new Broadcast(
    new RecentSamples(),
    { streams: 10, streams_of_user: 0, streams_of_admin: 10 },
    new SharedCounter(soleWorker(), 'streams'),
  );
  const [quick, slow] = [sinkOf(100), sinkOf(1)];
  for (const sink of [quick, slow]) broadcast.open('', OPERATOR).open(sink);
  mock.timers.tick(14_999);
  assert.is(quick.chunks.length, 1, 'which says when to come back');
  mock.timers.tick(1);
  assert.equal(quick.chunks.slice(1), [': still here\n\n'], 'a comment, which is no event');
  mock.timers.tick(15_000);
  assert.equal([quick.chunks.length, slow.chunks.length], [3, 1], 'but not who is behind');
  broadcast.close();
  mock.timers.tick(15_000);
  assert.is(quick.chunks.length, 3);
});

test('each minute is ended once, right after it is over, whether anybody reads or not', async () => {
  const begin = Date.UTC(2026, 0, 1, 12, 0);
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: begin + 30_000 });
  const { recorder } = recorderOf(() => ({}));
  const ended: number[] = [];
  recorder.endMinute = async (at) => void ended.push(at);
  recorder.start();
  mock.timers.tick(30_000);
  assert.equal(ended, [], 'not before it is over');
  mock.timers.tick(20);
  assert.equal(ended, [begin / 1000]);
  mock.timers.tick(59_999);
  assert.is(ended.length, 1);
  mock.timers.tick(1);
  mock.timers.tick(60_000);
  assert.equal(
    ended,
    [0, 60, 120].map((seconds) => begin / 1000 + seconds),
  );
  await recorder.close();
  mock.timers.tick(120_000);
  assert.is(ended.length, 3);
});

test('a minute without readers takes one sample for the record', async () => {
  const { recorder, sampler } = recorderOf(() => ({}));
  const minute = Math.floor(Date.now() / 60_000) * 60 - 600;
  await recorder.endMinute(minute);
  await recorder.endMinute(minute + 60);
  assert.is(sampler.taken, 2);
  await sampler.record();
  await recorder.endMinute(minute + 120);
  assert.is(sampler.taken, 3);
  const { points } = await recorder.query('memory', { from: String(minute), to: String(minute + 179), step: 60 });
  assert.equal(
    points.map(({ time, value }) => [time - minute, value]),
    [
      [0, 25],
      [60, 25],
      [120, 25],
    ],
  );
  await recorder.close();
});

test('a minute is the mean of its samples by the time that each stands for', () => {
  const row = minuteRow(120, [sampleOf(1, 0, 99), sampleOf(2, 1000, 10), sampleOf(3, 3000, 50)], undefined);
  assert.equal(row, { at: 120, cpu: 40, memory: 40, disk: null, users: null, domains: null, websites: null });
  assert.equal(bucketed([{ at: 61.5, value: 3, weight: 0 }], 60), [{ time: 60, value: 3 }]);
});

test('the step is the requested one, but never finer than the data kept for the range', () => {
  const now = 10_000_000;
  assert.equal(plannedRange('cpu', {}, now), { from: now - 3600, to: now, step: 60 });
  assert.equal(plannedRange('cpu', { from: String(now - 500) }, now), { from: now - 500, to: now, step: 1 });
  assert.equal(plannedRange('users', { from: String(now - 500) }, now).step, 60);
  assert.equal(plannedRange('cpu', { from: String(now - 86_400 * 30), step: 60 }, now).step, 3600);
  assert.equal(plannedRange('cpu', { from: String(now - 86_400), step: 100 }, now).step, 120);
  assert.equal(plannedRange('cpu', { from: '0' }, now).step, 7200, 'at most 1440 points');
  assert.equal(plannedRange('cpu', { from: '1970-01-01T00:00:00Z', to: '1970-01-02' }, now), {
    from: 0,
    to: 86_400,
    step: 3600,
  });
  assert.throws(() => plannedRange('cpu', { from: '5', to: '5' }, now), /range is empty/);
});

/** A recorder with the given providers of counts. */
function recorderOf(gather: () => Partial<Record<'users' | 'domains' | 'websites', number>> | Error) {
  const sampler = new Sampler(host(), 1000, log);
  const recent = new RecentSamples();
  const gathered = async () => {
    const value = gather();
    return [
      {
        plugin: 'one',
        ms: 0,
        ...(value instanceof Error ? { ok: false as const, error: value } : { ok: true as const, value }),
      },
      {
        plugin: 'two',
        ms: 0,
        ok: true as const,
        value: { domains: 1 } satisfies Awaited<ReturnType<ExtensionPoints['counts']>>,
      },
    ];
  };
  let happened: () => void = () => {};
  const counts = new Counts(
    gathered as never,
    { listen: (listener: () => void) => ((happened = listener), () => {}) } as never,
  );
  const usageStore = new UsageStore(store);
  const recorder = new Recorder({ sampler, recent, counts, store: usageStore, log });
  sampler.listen((sample) => recorder.add(sample));
  return { sampler, recorder, counts, stats: new DailyStats(counts, usageStore), happen: () => happened() };
}

test('minutes are written in batches with their hours and survive a restart', async () => {
  const { recorder } = recorderOf(() => ({ users: 3, domains: 4 }));
  const hour = Math.floor(Date.now() / 3_600_000) * 3600 - 3600;
  for (let i = 0; i < 15; i += 1) await recorder.endMinute(hour + i * 60);
  const written = async () =>
    (await store.get<{ n: number }>('select count(*) as n from usage_history where step = 60'))?.n;
  assert.is(await written(), 11, 'the first of a day at once, then ten together');
  const inMemory = await recorder.query('users', { from: String(hour), to: String(hour + 3599), step: 60 });
  assert.is(inMemory.points.length, 15, 'what waits to be written is there as well');
  await recorder.close();
  const { recorder: again } = recorderOf(() => ({}));
  const kept = await again.query('domains', { from: String(hour), to: String(hour + 3599), step: 60 });
  assert.equal(
    kept.points.map(({ value }) => value),
    Array.from({ length: 15 }, () => 5),
  );
  const { points } = await again.query('users', { from: String(hour - 86_400), step: 3600 });
  const at = { time: hour, time_at: new Date(hour * 1000).toISOString() };
  assert.equal(points, [{ ...at, value: 3 }]);
  const memory = await again.query('memory', { from: String(hour - 86_400), step: 3600 });
  assert.equal(memory.points, [{ ...at, value: 25 }]);
  await again.close();
});

test('minutes are kept for a day and hours for a year', async () => {
  const usageStore = new UsageStore(store);
  const now = Math.floor(Date.now() / 3_600_000) * 3600;
  const row = (at: number) => ({ at, cpu: 1, memory: 2, disk: 3, users: 1, domains: 1, websites: 1 });
  for (const at of [now - 400 * 86_400, now - 300 * 86_400, now - 2 * 86_400, now]) await usageStore.write([row(at)]);
  const ats = async (step: number) =>
    (await store.all<{ at: number }>('select at from usage_history where step = ? order by at', step)).map(
      ({ at }) => at,
    );
  assert.equal(await ats(60), [now]);
  assert.equal(await ats(3600), [now - 300 * 86_400, now - 2 * 86_400, now]);
});

test('a minute without figures is left out, not invented', async () => {
  const { recorder } = recorderOf(() => new Error('no database'));
  const minute = Math.floor(Date.now() / 60_000) * 60 - 600;
  await recorder.endMinute(minute);
  await recorder.endMinute(minute + 120);
  assert.equal((await recorder.query('users', { from: String(minute) })).points, []);
  assert.equal(
    (await recorder.query('memory', { from: String(minute), to: String(minute + 599), step: 60 })).points.map(
      ({ time }) => time,
    ),
    [minute, minute + 120],
  );
  await recorder.close();
});

test('a day counts its last sample; a day without the server is missing', async () => {
  let users = 1;
  const { recorder, stats, happen } = recorderOf(() => ({ users }));
  const today = Math.floor(Date.now() / 86_400_000) * 86_400;
  await new UsageStore(store).write([
    { at: today - 3 * 86_400, cpu: null, memory: null, disk: null, users: 7, domains: 0, websites: 0 },
    { at: today - 3 * 86_400 + 60, cpu: null, memory: null, disk: null, users: 8, domains: 2, websites: 3 },
    { at: today - 86_400, cpu: null, memory: null, disk: null, users: null, domains: null, websites: null },
  ]);
  const lines = async () =>
    (JSON.parse(Buffer.from((await stats.reply()).answer('').body).toString()) as { usage_stats: string }).usage_stats
      .split('\n')
      .map((line) => JSON.parse(line) as object);
  const day = (at: number) => new Date(at * 1000).toISOString().slice(0, 10);
  const past = { timestamp: day(today - 3 * 86_400), users: 8, domains: 2, websites: 3 };
  assert.equal(await lines(), [past, { timestamp: day(today), users: 1, domains: 1, websites: 0 }]);
  assert.instance(stats.reply(), Object);
  assert.not.instance(stats.reply(), Promise, 'kept until something happens');
  users = 2;
  happen();
  assert.equal((await lines())[1], { timestamp: day(today), users: 2, domains: 1, websites: 0 });
  await recorder.close();
});

test('a count that has begun before an event is not the answer to who asks after it', async () => {
  let users = 5;
  const { recorder, counts, happen } = recorderOf(() => ({ users }));
  const before = counts.read();
  users = 6;
  happen();
  const after = [counts.read(), counts.read()];
  assert.is((await before).users, 5);
  for (const each of after) assert.is((await each).users, 6);
  await recorder.close();
});

test('when a count fails, the last figures are returned; without any it is a 503', async () => {
  let answer: { users: number } | Error = new Error('gone');
  const { recorder, counts, happen } = recorderOf(() => answer);
  await Promise.resolve(counts.read()).then(
    () => assert.unreachable(),
    (error: { status: number }) => assert.is(error.status, 503),
  );
  answer = { users: 5 };
  assert.is((await counts.read()).users, 5);
  answer = new Error('gone again');
  happen();
  assert.is((await counts.read()).users, 5);
  await recorder.close();
});
