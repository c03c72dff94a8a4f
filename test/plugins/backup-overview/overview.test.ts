import * as assert from '../../support/assert.ts';
import type { BackupStanding } from '../../../kernel/areas/backups/account-backups.ts';
import overview from '../../../plugins/backup-overview/index.ts';
import { byNeed, isTroubled, overviewRow } from '../../../plugins/backup-overview/overview.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { needs } from '../../support/needs.ts';
import { testSuite } from '../../support/suite.ts';

const others = await needs('backups', 'backup-checks');
const test = testSuite('backups of all accounts');
const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-25T12:00:00Z');
const good: BackupStanding = {
  ...{ schedule: 'daily', isByPlan: true, newestAt: NOW - 9 * HOUR, kept: 3, sizeBytes: 7, limitBytes: 10 },
  last: { endedAt: NOW - 9 * HOUR, error: null, detail: null },
};
const row = (username: string, change: Partial<BackupStanding> = {}, problem?: string | null, ageHours = 1000) =>
  overviewRow(
    { username, createdAt: NOW - ageHours * HOUR },
    { ...good, ...change },
    problem === undefined ? undefined : { checkedAt: NOW - HOUR, problem },
    NOW,
  );
const none = { newestAt: null, kept: 0, last: null };
const failed = (error: string) => ({ last: { endedAt: NOW, error, detail: `because of ${error}` } });

test('backups that need somebody come first, of these the oldest', () => {
  const rows = [
    row('off', { schedule: 'off', ...none }),
    row('good'),
    row('new', none, undefined, 20),
    row('weekly', { schedule: 'weekly', newestAt: NOW - 150 * HOUR }),
    row('empty', { ...none, ...failed('nothing_to_back_up') }, undefined, 20),
    row('late', { newestAt: NOW - 40 * HOUR }),
    row('later', { newestAt: NOW - 80 * HOUR }),
    row('none', none),
    row('unreadable', {}, 'damaged'),
    row('failed', failed('backups_full'), 'damaged'),
    row('removed', { schedule: 'off', ...none }, 'damaged'),
  ];
  assert.equal(
    rows.toSorted(byNeed).map(({ username, state }) => [username, state]),
    [
      ['failed', 'failed'],
      ['unreadable', 'unreadable'],
      ['none', 'none'],
      ['later', 'late'],
      ['late', 'late'],
      ...['empty', 'new', 'weekly', 'good'].map((name) => [name, 'good']),
      ...['off', 'removed'].map((name) => [name, 'off']),
    ],
  );
  assert.is(rows.filter(isTroubled).length, 5);
  const { problem, check_problem: checkProblem } = row('failed', failed('backups_full'), 'damaged');
  assert.equal([problem, checkProblem], ['because of backups_full', 'damaged']);
});

test('operators see the accounts of the node that have backups, page by page', async () => {
  const server = await TestServer.start({
    plugins: [...others, overview],
    config: { backups: { default_schedule: 'weekly' } },
  });
  const { token: admin } = await server.admin();
  for (const name of ['anna', 'hanna', 'bob']) await server.user(name);
  await server.hostkeep.core.accounts.setFeature('bob', 'backups', false);
  const { local } = server.hostkeep.core;
  const { id } = await server.hostkeep.core.accounts.get('hanna');
  await local.write(async (tx) => {
    const task =
      'insert into backup_tasks (id, account_id, kind, path, process, state, error, detail, created_at, ended_at)';
    const values = 'values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
    const tell = (...row: (string | number | null)[]) => tx.run(`${task} ${values}`, ...row);
    await tx.run("insert into backups values ('b', ?, ?, 1, 1, 1, 0, 1)", id, Date.now() - 2 * HOUR);
    await tell('1', id, 'backup', '', '', 'failed', 'backups_full', 'no room', 1, 2000);
    await tell('2', id, 'backup', '', '', 'done', null, null, 1, 1000);
    await tell('3', id, 'clean', '', '', 'failed', 'backups_busy', 'busy', 1, 3000);
  });
  type Listed = { accounts: Record<string, unknown>[]; total: number; troubled: number; next_cursor: string | null };
  const ask = async (query: string) =>
    (await server.ask<Listed>(`/api/account-backups?${query}`, { token: admin, address: 'admin' })).body;
  assert.is((await server.ask('/api/account-backups?limit=0', { token: admin, address: 'admin' })).status, 400);
  const first = await ask('limit=1');
  assert.equal([first.total, first.troubled, first.next_cursor], [2, 1, '1']);
  const { username, state, problem, tried_at: at, schedule, is_by_plan: isByPlan } = first.accounts[0] ?? {};
  assert.equal([username, state, problem, at], ['hanna', 'failed', 'no room', new Date(2000).toISOString()]);
  assert.equal([schedule, isByPlan], ['weekly', true]);
  const second = await ask('limit=1&cursor=1');
  assert.equal([second.accounts.map((each) => each['username']), second.next_cursor], [['anna'], null]);
  assert.equal(
    (await ask('q=hann')).accounts.map((each) => each['username']),
    ['hanna'],
  );
  assert.equal((await ask('q=nobody')).accounts, []);
  const metrics = (await server.hostkeep.plugins.gather('metrics')).find(({ plugin }) => plugin === 'backup-overview');
  assert.equal(
    (metrics?.ok === true ? metrics.value : []).map(({ name, samples }) => [
      name,
      Math.floor((samples[0]?.value ?? 0) / 3600),
    ]),
    [
      ['hostkeep_backups_newest_age_seconds', 2],
      ['hostkeep_backups_oldest_age_seconds', 2],
    ],
  );
});
