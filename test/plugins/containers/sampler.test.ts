/**
 * When the sampler of the containers plugin samples, how old its replies are, and when it stops; with shortened times.
 */
import { setTimeout as delay } from 'node:timers/promises';
import * as assert from '../../support/assert.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { HttpError } from '../../../kernel/errors.ts';
import { createLog } from '../../../kernel/log.ts';
import type { Reply } from '../../../kernel/contract/reply.ts';
import { ContainerSnapshot } from '../../../plugins/containers/engine/container-snapshot.ts';
import { parseContainers } from '../../../plugins/containers/engine/container.ts';
import { StatsSampler, type StatsSamplerParts } from '../../../plugins/containers/stats/stats-sampler.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const test = testSuite('containers-sampler');
/** Samples come and end quickly; what a stop of the machine could exceed is long, unless a test is about it. */
const TIMING = { intervalMs: 20, idleMs: 100, maxAgeMs: 60_000, waitMs: 60_000, pauseMs: 60_000 };
const accountOf = (id: number, username: string): Account => ({
  id,
  username,
  role: 'user',
  email: '',
  locale: 'en',
  plan: undefined,
  features: new Set(),
  overrides: {},
  filesRoot: '/',
  suspended: false,
  createdAt: 0,
  home: '',
  isReadOnly: false,
});
const ann = accountOf(1, 'ann');
const bob = accountOf(2, 'bob');
const snapshot = new ContainerSnapshot(
  parseContainers([{ Id: 'a'.repeat(64), Labels: { 'hostkeep.account': 'ann' } }]),
  false,
);
const usage = {
  id: 'a'.repeat(64),
  source: 'cgroup',
  cpuNs: 0,
  clockNs: 0,
  memoryBytes: 0,
  limitBytes: 0,
  receivedBytes: 0,
  sentBytes: 0,
  readBytes: 0,
  writtenBytes: 0,
  pids: 1,
  cpuPercent: 0,
} as const;

interface Counted {
  lists: number;
  measures: number;
  kept: number[];
}

function samplerWith(
  over: { measure?: StatsSamplerParts['collector']['measure']; timing?: Partial<typeof TIMING> } = {},
): {
  sampler: StatsSampler;
  counted: Counted;
} {
  const counted: Counted = { lists: 0, measures: 0, kept: [] };
  const sampler = new StatsSampler({
    list: {
      latest: snapshot,
      read: async () => {
        counted.lists += 1;
        return snapshot;
      },
    },
    collector: {
      measure: async (containers, client) => {
        counted.measures += 1;
        return over.measure === undefined ? containers.map(() => usage) : over.measure(containers, client);
      },
      keepOnly: (containers) => void counted.kept.push(containers.length),
    },
    log: createLog('silent'),
    timing: { ...TIMING, ...over.timing },
  });
  return { sampler, counted };
}

const countOf = (reply: Reply) =>
  (JSON.parse(Buffer.from(reply.body).toString()) as { container_stats: { stats: { Container: string } } })
    .container_stats.stats.Container;

test('samples are the same for all who ask, bounded, and forgotten with them', async () => {
  const { sampler, counted } = samplerWith({
    measure: async (containers) =>
      Array.from({ length: 60 }, (_, i) => ({ ...usage, id: `${i} ${containers.length}` })),
  });
  sampler.poll(ann);
  const first = await sampler.samples(ann);
  assert.equal([first.length, first[0]?.containers.length], [1, 50]);
  await until('there are more than are kept', async () => {
    await sampler.samples(ann);
    return counted.measures > 65;
  });
  assert.is((await sampler.samples(ann)).length, 61);
  const [one, other] = await Promise.all([sampler.samples(ann), sampler.samples(ann)]);
  assert.equal(one, other);
  await until('nobody asks', () => !sampler.isRunning);
  assert.is((await sampler.samples(ann)).length, 1);
  sampler.close();
});

test('the first poll waits for a sample, later ones return the same bytes', async () => {
  const { sampler, counted } = samplerWith({ timing: { intervalMs: 10_000 } });
  const first = await sampler.poll(ann);
  for (let polls = 0; polls < 1000; polls += 1) assert.is(sampler.poll(ann), first);
  assert.equal([countOf(first), counted.lists, counted.measures], ['1', 1, 1]);
  sampler.close();
});

test('each sample makes new bytes, separately for each account', async () => {
  const { sampler } = samplerWith({ timing: { idleMs: 60_000 } });
  const startedMs = performance.now();
  const [first, other] = [await sampler.poll(ann), await sampler.poll(bob)];
  assert.equal([countOf(first), countOf(other)], ['1', '0']);
  await until('a new answer', () => sampler.poll(ann) !== first);
  assert.ok((sampler.ageSeconds ?? Infinity) < (performance.now() - startedMs) / 1000);
  sampler.close();
});

test('sampling stops without polls and starts again with the next one', async () => {
  const { sampler, counted } = samplerWith();
  await sampler.poll(ann);
  assert.ok(sampler.isRunning);
  await until('it rests', () => !sampler.isRunning);
  const { lists } = counted;
  assert.is(sampler.ageSeconds, undefined);
  await until('nothing is kept', () => counted.kept.at(-1) === 0);
  await delay(3 * TIMING.intervalMs); // only waiting shows that no further round runs
  assert.is(counted.lists, lists);
  await sampler.poll(ann);
  assert.ok(sampler.isRunning);
  sampler.close();
});

test('a sample that is too old is not served, and one that does not arrive is a 503', async () => {
  let isStuck = false;
  const { sampler } = samplerWith({
    measure: () => (isStuck ? new Promise(() => {}) : Promise.resolve([usage])),
    timing: { maxAgeMs: 50, idleMs: 60_000, waitMs: 100 },
  });
  await sampler.poll(ann);
  isStuck = true;
  let answer: Reply | Promise<Reply> | undefined;
  await until('it samples again', () => (answer = sampler.poll(ann)) instanceof Promise);
  await Promise.resolve(answer).then(
    () => assert.unreachable(),
    (error: unknown) => assert.is((error as HttpError).code, 'containers_unavailable'),
  );
  sampler.close();
});

test('a failure is kept for a while, and not retried for each poll', async () => {
  const { sampler, counted } = samplerWith({
    measure: () => Promise.reject(new Error('no')),
    timing: { intervalMs: 10_000 },
  });
  for (let polls = 0; polls < 20; polls += 1) {
    const error = await (async () => sampler.poll(ann))().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof HttpError);
    assert.equal([error.code, error.headers?.['Retry-After']], ['containers_unavailable', '2']);
  }
  assert.is(counted.measures, 1);
  sampler.close();
});
