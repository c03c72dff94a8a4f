import * as assert from '../../support/assert.ts';
import backups from '../../../plugins/backups/index.ts';
import { archivedPart, putBack, refusal } from '../../support/carried.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('schedules of backups in archives');

test('the schedule of backups comes along, and what is none is refused', async () => {
  const server = await TestServer.start({ plugins: [backups] });
  const { token } = await server.user('ann');
  await server.user('bob');
  const schedule = { schedule: 'weekly', weekday: 2, hour: 4, kept: 7 };
  assert.is((await server.ask('/api/backup-schedule', { method: 'PATCH', token, body: schedule })).status, 200);
  const saved = await archivedPart<object[]>(server, 'ann', 'backups');
  assert.equal(saved, [schedule]);
  for (const [wrong, reason] of [
    [{ hour: 24 }, /hour must be <= 23/],
    [{ schedule: 'hourly' }, /schedule must be one of/],
    [{ sealed: 'key' }, /sealed is not known here/],
  ] as const)
    assert.match(await refusal(server, 'bob', 'backups', [{ ...schedule, ...wrong }]), reason);
  assert.equal(await putBack(server, 'bob', 'backups', saved), { missing: [], next: [] });
  assert.equal(await archivedPart(server, 'bob', 'backups'), saved);
});
