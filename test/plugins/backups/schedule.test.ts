import * as assert from '../../support/assert.ts';
import type { AccountTask } from '../../../kernel/areas/tasks/account-tasks.ts';
import backups from '../../../plugins/backups/index.ts';
import { decided, findRetry, isDue, nextDue, unchosen } from '../../../plugins/backups/schedule.ts';
import type { BackupsConfig } from '../../../plugins/backups/schema.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('backups: schedule');
const has = (actual: object, expected: object) => assert.equal({ ...actual, ...expected }, actual);
const at = (text: string) => new Date(text).getTime(); // local time
const off = { ...unchosen(2), schedule: 'off' } as const;
const daily = { ...off, schedule: 'daily', hour: 3 } as const;
const weekly = { ...daily, schedule: 'weekly', weekday: 0 } as const;

test('nothing is due by a schedule that is off', () => {
  assert.equal([nextDue(off, 1, 0), isDue(off, 1, Date.now())], [undefined, false]);
});

test('each account has a minute of its own', () => {
  assert.is(nextDue(daily, 2, at('2026-05-04T03:33')), at('2026-05-04T03:34'));
  assert.is(nextDue(daily, 2, at('2026-05-04T03:34')), at('2026-05-05T03:34'));
  assert.is(nextDue(daily, 3, at('2026-05-04T03:34')), at('2026-05-04T03:51'));
  assert.is(nextDue(weekly, 2, at('2026-05-04T03:34')), at('2026-05-10T03:34'));
});

test('one is due once, also after an outage', () => {
  const tried = { ...daily, tried_at: at('2026-05-04T12:00') };
  assert.is(isDue(tried, 2, at('2026-05-05T03:33')), false);
  assert.is(isDue(tried, 2, at('2026-05-05T03:34')), true);
  assert.is(isDue(tried, 2, at('2026-05-09T20:00')), true);
  assert.is(isDue({ ...tried, tried_at: at('2026-05-09T20:00') }, 2, at('2026-05-09T20:01')), false);
  assert.is(isDue({ ...weekly, tried_at: at('2026-05-10T12:00') }, 2, at('2026-05-16T20:00')), false);
});

test('one that failed since it was due is tried again, unless that cannot help', () => {
  const [due, hour, again] = [at('2026-05-04T03:34'), 3_600_000, at('2026-05-04T06:00')];
  const time = (text: string) => new Date(text).toISOString();
  const failed: AccountTask = {
    ...{ id: 'x', kind: 'backup', path: '/', files: 0, size_bytes: 0, left_out: 0, detail: null },
    ...{ state: 'failed', error: 'backup_failed' },
    ...{ created_at: time('2026-05-04T03:35'), ended_at: time('2026-05-04T05:00') },
  };
  const retried = (last: Partial<AccountTask>) =>
    findRetry([{ ...failed, kind: 'restore' }, { ...failed, ...last }, failed], due, hour)?.at;
  assert.is(findRetry([], due, hour), undefined);
  assert.is(retried({}), again);
  assert.is(retried({ error: 'task_interrupted', ended_at: null }), at('2026-05-04T04:35'), 'of a killed server');
  const early = { ...failed, created_at: time('2026-05-04T03:33') };
  assert.is(findRetry([early], due, hour), undefined, 'before it was due');
  for (const state of ['running', 'done', 'canceled'] as const)
    assert.is(retried({ state, error: null }), undefined, state);
  for (const error of ['nothing_to_back_up', 'backups_full']) assert.is(retried({ error }), undefined, error);
  const interrupted = { ...failed, error: 'task_interrupted' };
  assert.is(findRetry([interrupted], due, hour)?.isTold, false, 'nobody was told of the end of the server');
  assert.is(findRetry([interrupted, failed], due, hour)?.isTold, true);
});

test('who chose nothing has the schedule of the plan, at a time of its own', () => {
  const config = {
    default_schedule: 'daily',
    plan_schedules: { basic: 'off', pro: 'weekly' },
  } as unknown as BackupsConfig;
  const byPlan = (name?: string) => decided(unchosen(7), config, name === undefined ? undefined : { name }).schedule;
  assert.equal(['basic', 'pro', 'other', 'constructor', undefined].map(byPlan), [
    'off',
    'weekly',
    'daily',
    'daily',
    'daily',
  ]);
  for (const schedule of ['off', 'daily', 'weekly'] as const)
    assert.is(decided({ ...off, schedule }, config, { name: 'basic' }).schedule, schedule, 'what was chosen holds');
  const begins = Array.from({ length: 360 }, (_, id) => {
    const next = new Date(nextDue(decided(unchosen(id), config, undefined), id, at('2026-05-04T12:00')) ?? 0);
    return next.getHours() * 60 + next.getMinutes();
  });
  assert.is(new Set(begins).size, 360, 'no two begin in the same minute');
  assert.ok(Math.max(...begins) < 360);
});

test('the page is told whose schedule it is, and the choice of the customer holds', async () => {
  const config = { backups: { default_schedule: 'weekly', plan_schedules: { developer: 'daily' } } };
  const server = await TestServer.start({ plugins: [backups], config });
  const { token } = await server.user('ann');
  const set = async (body: object) => {
    const { status, body: schedule } = await server.ask('/api/backup-schedule', { method: 'PATCH', token, body });
    assert.is(status, 200, JSON.stringify(schedule));
    return schedule;
  };
  const read = async () => (await server.ask<{ schedule: object }>('/api/backups', { token })).body.schedule;
  has(await read(), { schedule: 'daily', is_by_plan: true });
  has(await set({ kept: 3, hour: 5 }), { schedule: 'daily', hour: 5, kept: 3, is_by_plan: true });
  has(await set({ schedule: 'off' }), { schedule: 'off', is_by_plan: false, next_at: null });
  has(await read(), { schedule: 'off', is_by_plan: false });
  has(await set({ schedule: 'plan' }), { schedule: 'daily', hour: 5, kept: 3, is_by_plan: true });
});
