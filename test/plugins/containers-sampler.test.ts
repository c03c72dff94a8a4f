/** When the sampler of the plugin containers samples, how old its answers are, and when it ends; with times shorter than in use. */
import { setTimeout as delay } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import type { Account } from '../../kernel/identity/accounts.ts';
import { HttpError } from '../../kernel/errors.ts';
import { createLog } from '../../kernel/log.ts';
import type { Reply } from '../../kernel/plugin-api/reply.ts';
import { ContainerSnapshot, parseContainers } from '../../plugins/containers/engine/container.ts';
import { StatsSampler, type SamplerParts } from '../../plugins/containers/stats/stats-sampler.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('containers-sampler');
const PACE = { intervalMs: 20, idleMs: 100, maxAgeMs: 1000, waitMs: 100, pauseMs: 1000 };
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
});
const ann = accountOf(1, 'ann');
const bob = accountOf(2, 'bob');
const listing = new ContainerSnapshot(
  parseContainers([{ Id: 'a'.repeat(64), Labels: { 'hostkeep.account': 'ann' } }]),
  false,
);
const measured = {
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

function samplerWith(over: { measure?: SamplerParts['meter']['measure']; pace?: Partial<typeof PACE> } = {}): {
  sampler: StatsSampler;
  counted: Counted;
} {
  const counted: Counted = { lists: 0, measures: 0, kept: [] };
  const sampler = new StatsSampler({
    roster: {
      known: listing,
      assertUp: () => {},
      list: async () => {
        counted.lists += 1;
        return listing;
      },
    },
    meter: {
      measure: async (mine) => {
        counted.measures += 1;
        return over.measure === undefined ? mine.map(() => measured) : over.measure(mine);
      },
      keepOnly: (list) => void counted.kept.push(list.length),
    },
    log: createLog('silent'),
    pace: { ...PACE, ...over.pace },
  });
  return { sampler, counted };
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let attempts = 0; !isTrue(); attempts += 1) {
    if (attempts > 400) throw new Error('it does not come about');
    await delay(5);
  }
}
const countOf = (reply: Reply) =>
  (JSON.parse(Buffer.from(reply.body).toString()) as { container_stats: { stats: { Container: string } } })
    .container_stats.stats.Container;

test('the first poll waits for a sample, those after it get the same bytes without a promise', async () => {
  const { sampler, counted } = samplerWith({ pace: { intervalMs: 10_000 } });
  const first = await sampler.poll(ann);
  for (let polls = 0; polls < 1000; polls += 1) assert.is(sampler.poll(ann), first);
  assert.equal([countOf(first), counted.lists, counted.measures], ['1', 1, 1]);
  sampler.close();
});

test('each sample makes new bytes, of each account its own', async () => {
  const { sampler } = samplerWith({ pace: { idleMs: 10_000 } });
  const [first, other] = [await sampler.poll(ann), await sampler.poll(bob)];
  assert.equal([countOf(first), countOf(other)], ['1', '0']);
  await until(() => sampler.poll(ann) !== first);
  assert.ok((sampler.ageSeconds ?? 9) < 1);
  sampler.close();
});

test('it ends when nobody polls, forgets what it knew, and begins again', async () => {
  const { sampler, counted } = samplerWith();
  await sampler.poll(ann);
  assert.ok(sampler.isRunning);
  await until(() => !sampler.isRunning);
  const { lists } = counted;
  assert.is(sampler.ageSeconds, undefined);
  await until(() => counted.kept.at(-1) === 0);
  await delay(3 * PACE.intervalMs); // rounds that must not come can only be waited for
  assert.is(counted.lists, lists);
  await sampler.poll(ann);
  assert.ok(sampler.isRunning);
  sampler.close();
});

test('a sample that is too old is not answered, and one that does not come is a 503', async () => {
  let isStuck = false;
  const { sampler } = samplerWith({
    measure: () => (isStuck ? new Promise(() => {}) : Promise.resolve([measured])),
    pace: { maxAgeMs: 50, idleMs: 10_000 },
  });
  await sampler.poll(ann);
  isStuck = true;
  let answer: Reply | Promise<Reply> | undefined;
  await until(() => (answer = sampler.poll(ann)) instanceof Promise);
  await Promise.resolve(answer).then(
    () => assert.unreachable(),
    (error: unknown) => assert.is((error as HttpError).code, 'containers_unavailable'),
  );
  sampler.close();
});

test('a failure is kept for a while, and not tried again for each poll', async () => {
  const { sampler, counted } = samplerWith({
    measure: () => Promise.reject(new Error('no')),
    pace: { intervalMs: 10_000 },
  });
  for (let polls = 0; polls < 20; polls += 1) {
    const error = await Promise.resolve(sampler.poll(ann)).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof HttpError);
    assert.equal([error.code, error.headers?.['Retry-After']], ['containers_unavailable', '2']);
  }
  assert.is(counted.measures, 1);
  sampler.close();
});
