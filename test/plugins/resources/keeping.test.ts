/** How plans reach the broker, and what accounts are told. */
import * as assert from '../../support/assert.ts';
import { createLog } from '../../../kernel/log.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { Core } from '../../../kernel/run/core.ts';
import { findings } from '../../../plugins/resources/doctor.ts';
import resources from '../../../plugins/resources/index.ts';
import { Notices } from '../../../plugins/resources/keeping/notices.ts';
import { PlanLimits } from '../../../plugins/resources/keeping/plan-limits.ts';
import { Readings, toUsage } from '../../../plugins/resources/readings.ts';
import type { Keeping, LimitedAccount, ResourcesVerbs } from '../../../plugins/resources/privileged.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { figures } from './groups.ts';

const test = testSuite('limits of accounts');

/** Verbs that remember what they were told. */
function fakeVerbs(keeping: () => Keeping) {
  const kept = new Map<number, LimitedAccount>();
  const ended: number[] = [];
  const killed: number[] = [];
  const verbs: ResourcesVerbs = {
    figures: async () => keeping(),
    kept: async () => [...kept.values()],
    limit: async (limits) => {
      for (const each of limits) kept.set(each.accountId, each);
      return null;
    },
    kill: async (id) => killed.push(id) > 0,
    end: async (id) => {
      ended.push(id);
      return kept.delete(id);
    },
  };
  return { verbs, kept, killed, ended };
}
const ALL = { problem: null, controllers: ['cpu', 'io', 'memory', 'pids'], diskProblem: null } as const;
const NO_DISK = { problem: null, controllers: ['cpu', 'memory', 'pids'], diskProblem: 'there is no disk' } as const;

async function started() {
  const server = await TestServer.start({ plugins: [resources] });
  const { core } = server.hostkeep;
  const parts = { ...core, identity: core };
  await core.plans.update('basic', {
    limits: { cpu_limit: 1.5, ram_limit_mib: 512, processes_limit: 100, io_read_limit_mib: 10, io_write_limit_mib: 5 },
  });
  const attempt = async (_what: string, part: () => Promise<unknown>) => void (await part());
  return { server, core, parts, attempt };
}
const BASIC = { memoryMib: 512, cpuPercent: 150, processes: 100, readMib: 10, writeMib: 5 };

test('accounts have the limits of their plans, also of changed ones, until they go', async () => {
  const { server, core, parts, attempt } = await started();
  const { account } = await server.user('ann', 'basic');
  const { verbs, kept, ended } = fakeVerbs(() => ({ ...ALL, groups: [] }));
  kept.set(4711, { accountId: 4711, ...BASIC });
  const limits = new PlanLimits({ ...parts, log: createLog('silent') }, verbs);
  await limits.reconcile(attempt);
  assert.equal([...kept.values()], [{ accountId: account.id, ...BASIC }]);
  assert.equal(ended, [4711]);
  const one = kept.get(account.id);
  await limits.reconcile(attempt);
  assert.is(kept.get(account.id), one, 'what is kept already is not set again');
  await core.plans.update('basic', { limits: { io_write_limit_mib: 0 } });
  await limits.reconcile(attempt);
  assert.equal([...kept.values()], [{ accountId: account.id, ...BASIC, writeMib: 0 }]);
  const none = { cpu_limit: 0, ram_limit_mib: 0, processes_limit: 0, io_read_limit_mib: 0 };
  await core.plans.update('basic', { limits: none });
  await limits.reconcile(attempt);
  const unlimited = { memoryMib: 0, cpuPercent: 0, processes: 0, readMib: 0, writeMib: 0 };
  assert.equal([...kept.values()], [{ accountId: account.id, ...unlimited }]);
  await core.accounts.remove('ann');
  await limits.reconcile(attempt);
  assert.equal([...kept.keys()], []);
  assert.equal(ended, [4711, account.id]);
});

test('what runs is ended with each suspension, once, and the limits stay', async () => {
  const { server, core, parts, attempt } = await started();
  const { account } = await server.user('ann', 'basic');
  const { verbs, kept, killed, ended } = fakeVerbs(() => ({ ...ALL, groups: [] }));
  const limits = new PlanLimits({ ...parts, log: createLog('silent') }, verbs);
  const reconciled = async () => {
    await limits.reconcile(attempt);
    return killed.length;
  };
  assert.is(await reconciled(), 0);
  for (const times of [1, 2]) {
    await core.accounts.suspend('ann');
    assert.is(await reconciled(), times);
    assert.is(await reconciled(), times, 'work of operators goes on');
    await core.accounts.unsuspend('ann');
    assert.is(await reconciled(), times);
  }
  assert.equal([killed, ended, [...kept.keys()]], [[account.id, account.id], [], [account.id]]);
});

test('an account is told of each limit that it met, once an hour, also after a restart', async () => {
  const { server, core, parts } = await started();
  const { account } = await server.user('ann', 'basic');
  const { account: free } = await server.user('bea', 'developer');
  await core.plans.update('developer', { limits: { ram_limit_mib: 0 } });
  const told = async (of: Account) => (await eventsOf(core, of)).length;
  let notices = new Notices(parts);
  await notices.look([figures(account.id), figures(free.id)]);
  assert.is(await told(account), 0);
  await notices.look([figures(account.id, { killed: 2 }), figures(free.id, { killed: 2 })]);
  assert.equal(await eventsOf(core, account), [{ type: 'resources.memory_exhausted', count: 2, limit: 512 }]);
  assert.is(await told(free), 0, 'it has no limit of memory: the machine ran out of it');
  notices = new Notices(parts);
  await notices.look([figures(account.id, { killed: 5, refused: 7 })]);
  await notices.look([figures(account.id, { killed: 9, refused: 7 })]);
  assert.equal((await eventsOf(core, account)).slice(1), [
    { type: 'resources.processes_exhausted', count: 7, limit: 100 },
  ]);
  // the group was removed and made anew
  await notices.look([figures(account.id, { killed: 1 })]);
  assert.is((await eventsOf(core, account)).length, 2);
  await notices.look([figures(account.id, { killed: 1, throttled: 1_000_000 })]);
  assert.equal((await eventsOf(core, account)).slice(2), [
    { type: 'resources.processor_exhausted', count: 100, limit: 150 },
  ]);
});

test('an account is told that it met the limit of its traffic with the disk', async () => {
  const { server, core, parts } = await started();
  const { account } = await server.user('ann', 'basic');
  const { account: free } = await server.user('bea', 'developer');
  const notices = new Notices(parts);
  const MANY = 2 ** 50;
  const look = (over: object) => notices.look([account, free].map(({ id }) => figures(id, over)));
  await look({ readBytes: MANY });
  assert.equal(await eventsOf(core, account), [], 'before it is known how much of it is new');
  await look({ readBytes: MANY + 1, writtenBytes: 1 });
  assert.equal(await eventsOf(core, account), [], 'a little');
  await look({ readBytes: 2 * MANY, writtenBytes: 1 });
  assert.equal(await eventsOf(core, account), [{ type: 'resources.reading_exhausted', count: 100, limit: 10 }]);
  await look({ readBytes: 3 * MANY, writtenBytes: MANY });
  assert.equal((await eventsOf(core, account)).slice(1), [
    { type: 'resources.writing_exhausted', count: 100, limit: 5 },
  ]);
  await look({});
  await look({ readBytes: MANY, writtenBytes: MANY });
  assert.is((await eventsOf(core, account)).length, 2, 'once an hour');
  assert.equal(await eventsOf(core, free), [], 'it has no limit');
});

test('figures are shown beside the limits of the plan, as far as the machine counts', async () => {
  const { server } = await started();
  const { account } = await server.user('ann', 'basic');
  let cpuUs = 0;
  const groups = () => [figures(account.id, { memoryBytes: 2 ** 20, processes: 3, cpuUs: (cpuUs += 10) })];
  const { verbs } = fakeVerbs(() => ({ ...ALL, groups: groups() }));
  const readings = new Readings(verbs);
  const shown = await readings.of(account);
  assert.equal(shown, {
    ...{ is_kept: true, memory_bytes: 2 ** 20, memory_limit_bytes: 2 ** 29, cpu_percent: 0, cpu_limit_percent: 150 },
    ...{ processes: 3, processes_limit: 100 },
    ...{ read_per_second: 0, read_limit_per_second: 10 * 2 ** 20 },
    ...{ written_per_second: 0, write_limit_per_second: 5 * 2 ** 20 },
  });
  assert.equal(toUsage(shown), [
    { resource: 'memory_kib', used: 1024, limit: 2 ** 19, isOver: false },
    { resource: 'processor_percent', used: 0, limit: 150, isOver: false },
    { resource: 'processes', used: 3, limit: 100, isOver: false },
    { resource: 'disk_read_kib_per_second', used: 0, limit: 10_240, isOver: false },
    { resource: 'disk_written_kib_per_second', used: 0, limit: 5120, isOver: false },
  ]);
  const some = new Readings(fakeVerbs(() => ({ ...NO_DISK, controllers: ['pids'], groups: groups() })).verbs);
  const { is_kept: isKept, memory_bytes: memory, processes } = await some.of(account);
  assert.equal([isKept, memory, processes], [false, null, 3]);
  assert.equal(
    toUsage(await some.of(account)).map(({ resource }) => resource),
    ['processes'],
  );
  const noDisk = new Readings(fakeVerbs(() => ({ ...NO_DISK, groups: groups() })).verbs);
  const { is_kept: isLimited, read_per_second: read, written_per_second: written } = await noDisk.of(account);
  assert.equal([isLimited, read, written], [false, null, null], 'the plan limits what cannot be');
  const free = await server.user('bea', 'developer');
  assert.is((await noDisk.of(free.account)).is_kept, true);
  for (const each of [readings, some, noDisk]) await each.close();
});

test('without control groups, figures are not known, and doctor says what is not kept', async () => {
  const { server } = await started();
  const { token } = await server.user('ann', 'basic');
  const { status, body } = await server.ask('/api/resources', { token });
  assert.equal([status, body['is_kept'], body['memory_bytes'], body['processes_limit']], [200, false, null, 100]);
  const [part] = await server.hostkeep.plugins.gather('doctor');
  const [finding] = part?.ok === true ? part.value : [];
  assert.equal([finding?.ok, finding?.isWarning], [false, true]);
  assert.match(finding?.detail ?? '', /^nothing limits an account: only the broker/);
});

test('doctor names what the kernel does not keep', async () => {
  const saidOf = async (keeping: Keeping) => (await findings(fakeVerbs(() => keeping).verbs))[0];
  assert.is((await saidOf({ ...ALL, groups: [figures(7)] }))?.ok, true);
  const some = await saidOf({ ...NO_DISK, controllers: ['pids'], groups: [] });
  assert.equal([some?.ok, some?.isWarning], [false, true]);
  assert.match(some?.detail ?? '', /does not limit this for accounts: memory, processor time$/);
  const { verbs, kept } = fakeVerbs(() => ({ ...NO_DISK, groups: [] }));
  const [free] = await findings(verbs);
  assert.is(free?.ok, true);
  assert.match(free?.detail ?? '', /; no plan limits what could not be: disk traffic, because there is no disk$/);
  kept.set(7, { accountId: 7, ...BASIC });
  const [missed] = await findings(verbs);
  assert.equal([missed?.ok, missed?.isWarning], [false, true]);
  assert.match(missed?.detail ?? '', /does not limit this for accounts: disk traffic, because there is no disk$/);
});

/** Resolves with what the account was told, the oldest first. */
async function eventsOf({ store }: Core, { id }: Account) {
  const sql = "select type, data from events where account_id = ? and type like 'resources.%' order by id";
  const rows = await store.all<{ type: string; data: string }>(sql, id);
  return rows.map(({ type, data }) => ({ type, ...(JSON.parse(data) as { count: number; limit: number }) }));
}
