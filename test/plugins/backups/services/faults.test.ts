import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';
import { FIRST_ID } from '../../../support/broker.ts';
import { BackupClient, hasRestic, SETTINGS, type Body } from '../backup-client.ts';

const test = testSuite('backups: faults and schedules');
let server: TestServer;
test.before(async () => {
  server = await TestServer.start({
    config: { ...SETTINGS, backups: { ...SETTINGS.backups, check_seconds: 1 } },
  });
});

const fill = ({ account }: BackupClient, name: string, bytes: number) => {
  const path = join(account.filesRoot, name);
  execFileSync('sh', [
    '-c',
    'head -c "$1" /dev/urandom > "$0" && chown "$2" "$0"',
    path,
    `${bytes}`,
    owner(account.filesRoot),
  ]);
  return path;
};
const owner = (path: string) => {
  const { uid, gid } = statSync(path);
  return `${uid}:${gid}`;
};
const make = async (username: string) => {
  const client = await BackupClient.make(server, username);
  writeFileSync(join(client.account.filesRoot, 'page.html'), 'a page');
  return client;
};
const isRestic = (pid: string) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('/usr/bin/restic');
/** The processes of restic that run as an account. */
const resticProcesses = ({ account }: BackupClient) =>
  readdirSync('/proc').filter((pid) => {
    try {
      if (!/^\d+$/.test(pid) || statSync(`/proc/${pid}`).uid !== FIRST_ID + account.id) return false;
      // accounts of other servers that are tested meanwhile have the same user ids
      return readlinkSync(`/proc/${pid}/cwd`) === account.filesRoot && isRestic(pid);
    } catch {
      // it has ended
      return false;
    }
  });

test('without restic the server says so, and doctor how to mend it', async () => {
  const bare = await TestServer.start({ config: { ...SETTINGS, backups: { program: '/nonexistent/restic' } } });
  const ann = await BackupClient.make(bare, 'anna');
  const { status, body } = await ann.ask('POST', '');
  assert.equal([status, body['error']], [503, 'backups_unavailable']);
  assert.equal(await ann.list(), []);
  const part = (await bare.hostkeep.plugins.gather('doctor')).find(({ plugin }) => plugin === 'backups');
  const [finding] = part?.ok === true ? part.value : [];
  assert.equal([finding?.ok, finding?.remedy?.includes('apt-get install restic')], [false, true]);
});

test('a schedule is the account’s own, and says when it is due', async () => {
  const ann = await make('anna');
  for (const body of [{ schedule: 'hourly' }, { hour: 24 }, { weekday: 7 }, { kept: -1 }, { other: 1 }])
    assert.is((await ann.ask('PATCH', '/api/backup-schedule', body)).status, 400);
  const { body } = await ann.ask('PATCH', '/api/backup-schedule', { schedule: 'weekly', weekday: 1, hour: 5 });
  const next = new Date(String(body['next_at']));
  assert.equal([next.getDay(), next.getHours(), body['kept']], [1, 5, 0]);
  assert.ok(next.getTime() > Date.now());
  assert.is((await ann.ask<{ schedule: Body }>('GET', '')).body.schedule['schedule'], 'weekly');
  assert.is((await ann.ask('PATCH', '/api/backup-schedule', { schedule: 'off' })).body['next_at'], null);
});

if (hasRestic) {
  // threat leaked-secrets: the key of a repository is in no argument of a process
  test('a run that is killed fails, and the next one is complete', async () => {
    const ann = await make('carl');
    const large = fill(ann, 'large', 400_000_000);
    const { body } = await ann.ask('POST', '');
    await until('restic runs', () => resticProcesses(ann).length > 0);
    const [pid = ''] = resticProcesses(ann);
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const key = /RESTIC_PASSWORD=([^\0]+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1] ?? '';
    assert.equal([key.length > 20, command.includes(key)], [true, false]);
    process.kill(Number(pid), 'SIGKILL');
    const { state, error } = await ann.ended(body['id']);
    assert.equal([state, error, await ann.list()], ['failed', 'backup_failed', []]);
    rmSync(large);
    const id = await ann.made();
    const content = await ann.ask<string>('GET', `/${id}/content?path=page.html`);
    assert.is(content.body, 'a page');
    const repository = join(server.data, 'backups', String(ann.account.id));
    assert.equal([readdirSync(join(repository, 'incomplete')), readdirSync(join(repository, 'locks'))], [[], []]);
  });

  test('a backup that stands still ends and is told of, unlike one that was canceled', async () => {
    const config = { ...SETTINGS, backups: { ...SETTINGS.backups, stall_seconds: 1 } };
    const own = await TestServer.start({ config });
    const ann = await BackupClient.make(own, 'hana');
    const told = async () => (await own.hostkeep.core.events.page(ann.account.id, 'make a backup', 0, 50)).lines;
    const task = async (id: unknown) => (await ann.ask('GET', `/api/backup-tasks/${String(id)}`)).body;
    const begun = async () => {
      const { body } = await ann.ask('POST', '');
      await until('it goes on', async () => Number((await task(body['id']))['size_bytes']) > 0);
      return body['id'];
    };
    fill(ann, 'large', 400_000_000);
    const canceled = await begun();
    assert.is((await ann.ask('DELETE', `/api/backup-tasks/${String(canceled)}`)).body['state'], 'canceled');
    const id = await begun();
    for (const pid of resticProcesses(ann)) process.kill(Number(pid), 'SIGSTOP');
    const { state, error } = await ann.ended(id);
    assert.equal([state, error], ['failed', 'files_unavailable']);
    await until('it is told', async () => (await told()).length > 0);
    assert.match((await told()).join('\n'), /^[^\n]*tried to make a backup: the files did not answer[^\n]*$/);
    await own.close();
  });

  test('a server that stops ends a backup, and another server goes on', async () => {
    const [data, roots] = [temporaryFolder(), temporaryFolder()];
    execFileSync('chmod', ['755', roots]);
    const config = { ...SETTINGS, files_root: join(roots, '{username}') };
    const first = await TestServer.start({ config, data });
    const ann = await BackupClient.make(first, 'dora');
    fill(ann, 'large', 400_000_000);
    const { body } = await ann.ask('POST', '');
    await until('restic runs', () => resticProcesses(ann).length > 0);
    await first.close();
    const second = await TestServer.start({ config, data });
    const task = (path: string) => second.ask<Body>(path, { token: ann.token });
    const stopped = (await task(`/api/backup-tasks/${String(body['id'])}`)).body;
    assert.equal([stopped['state'], stopped['error']], ['failed', 'task_interrupted']);
    const again = await second.ask<Body>('/api/backups', { method: 'POST', token: ann.token });
    const ended = await eventually(
      'the backup has ended',
      async () => (await task(`/api/backup-tasks/${String(again.body['id'])}`)).body,
      ({ state }) => state !== 'running',
    );
    assert.equal([ended['state'], ended['error']], ['done', null]);
    const { backups } = (await second.ask<{ backups: Body[] }>('/api/backups', { token: ann.token })).body;
    assert.equal([backups.length, backups[0]?.['size_bytes']], [1, 400_000_000]);
  });

  test('what is due is made by itself, once, and none for a suspended account', async () => {
    const { store, accounts } = server.hostkeep.core;
    const [eve, fred] = [await make('eve'), await make('fred')];
    await fred.ask('PATCH', '/api/backup-schedule', { schedule: 'daily' });
    await accounts.suspend('fred');
    const { schedule } = (await eventually(
      'an account that chose nothing is met',
      () => store.get<Body>('select schedule from backup_schedules where account_id = ?', eve.account.id),
      (row) => row !== undefined,
    )) as Body;
    assert.equal([schedule, await eve.list()], ['plan', []], 'what was due before is not made up for');
    for (const { account } of [fred, eve])
      await store.write((tx) => tx.run('update backup_schedules set tried_at = 1 where account_id = ?', account.id));
    const [backup] = await eventually(
      'a backup is made',
      () => eve.list(),
      (list) => list.length > 0,
    );
    assert.is(backup?.['is_scheduled'], true);
    assert.is(existsSync(join(server.data, 'backups', String(fred.account.id))), false);
    await accounts.unsuspend('fred');
    const token = await server.token(fred.account); // suspension has ended the other one
    await eventually(
      'a backup is made for an account that is no longer suspended',
      async () => (await server.ask<{ backups: Body[] }>('/api/backups', { token })).body.backups,
      (list) => list.length > 0,
    );
    const { tasks } = (await eve.ask<{ tasks: Body[] }>('GET', '/api/backup-tasks')).body;
    assert.is(tasks.length, 1, 'it is due once a day');
  });

  test('a scheduled backup that fails is made again, and told once', async () => {
    const backups = { ...SETTINGS.backups, check_seconds: 1, retry_seconds: 1 };
    const own = await TestServer.start({ config: { ...SETTINGS, backups } });
    const { store } = own.hostkeep.core;
    const ida = await BackupClient.make(own, 'ida');
    const { id } = ida.account;
    writeFileSync(join(ida.account.filesRoot, 'page.html'), 'a page');
    const broken = join(own.data, 'backups', String(id));
    mkdirSync(broken, { recursive: true }); // a repository without its config
    const noted = () =>
      store.write((tx) => tx.run('update backup_schedules set tried_at = 1 where account_id = ?', id));
    await until('the account is met', async () => (await noted()).changes === 1);
    const tasks = async () => (await ida.ask<{ tasks: Body[] }>('GET', '/api/backup-tasks')).body.tasks;
    const failed = async () => (await tasks()).filter(({ state }) => state === 'failed').length;
    await until('it fails twice', async () => (await failed()) >= 2);
    const next = async () => ((await ida.ask('GET', '')).body as { schedule: { next_at: string } }).schedule.next_at;
    await until('the next try is told', async () => Date.parse(await next()) < Date.now() + 60_000);
    rmSync(broken, { recursive: true });
    await until('there is one', async () => (await tasks())[0]?.['state'] === 'done');
    const { events } = await own.hostkeep.core.events.search({ type: 'backup.failed' }, 10);
    assert.equal([events.length, (await ida.list()).length], [1, 1]);
    await own.close();
  });
}
