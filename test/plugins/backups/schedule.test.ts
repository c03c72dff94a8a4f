import * as assert from '../../support/assert.ts';
import { isDue, nextDue } from '../../../plugins/backups/schedule.ts';
import { NO_SCHEDULE } from '../../../plugins/backups/store.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('backups: schedule');
const at = (text: string) => new Date(text).getTime(); // local time
const daily = { ...NO_SCHEDULE, schedule: 'daily', hour: 3 } as const;
const weekly = { ...daily, schedule: 'weekly', weekday: 0 } as const;

test('nothing is due by a schedule that is off', () => {
  assert.equal([nextDue(NO_SCHEDULE, 1, 0), isDue(NO_SCHEDULE, 1, Date.now())], [undefined, false]);
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
