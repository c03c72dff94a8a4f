import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import type { HttpError } from '../../../../kernel/errors.ts';
import { AccountJobs } from '../../../../kernel/kit/jobs/account-jobs.ts';
import { BrokerClient } from '../../../../plugins/broker/launcher.ts';
import type { Followed } from '../../../../kernel/kit/jobs/owners/given-files.ts';
import { codeBytes } from '../../../../kernel/kit/jobs/job-launch.ts';
import { VERSION } from '../../../../kernel/kit/files/project-dir.ts';
import { createLog } from '../../../../kernel/log.ts';
import { FIRST_ID, startBroker, type TestBroker } from '../../../support/broker.ts';
import { codeOf } from '../../../support/code-of.ts';
import { hostkeep, OWN_CLI } from '../../../support/command.ts';
import { probeJobOf as probe } from '../../../support/defined-probe.ts';
import { accountFiles } from '../../../support/files-root.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import type { ProbeInput, Process } from '../../../support/probe-job.ts';
import { testSuite } from '../../../support/suite.ts';
import { LIMIT_MS, until } from '../../../support/until.ts';

const test = testSuite('broker');
const [ann, bea] = [
  { id: 1, username: 'ann' },
  { id: 2, username: 'bea' },
];
let broker: TestBroker;
let client: BrokerClient;
let jobs: AccountJobs;

test.before(async () => {
  broker = await startBroker({}, OWN_CLI); // no other program runs the tests' jobs
  client = new BrokerClient(broker.socket);
  const files = accountFiles(join(broker.folder, 'files/{username}'));
  jobs = new AccountJobs(files, { processes: 4, memory_mib: 192 }, createLog('silent'), client);
});
test.after(async () => {
  await jobs.close();
  await broker.kill();
});

const ask = (account: typeof ann, input: ProbeInput, timeoutMs?: number) =>
  jobs.run(probe(timeoutMs), account, input, { makesRoot: true });
const who = async (account: typeof ann) => (await ask(account, { act: 'who' })) as Process;
const limits = { memoryMib: 128, openFiles: 100, fileMib: 1 };

// threat stolen-service: the broker checks each argument itself, and does nothing but what its verbs say
test('the broker refuses what is none of its verbs, and arguments that do not fit', async () => {
  const account = { ...ann };
  const run = { account, state: null, folder: null, makesRoot: false, limits };
  const cases: readonly (readonly [string, unknown])[] = [
    ['shell', 'id'],
    ['run', null],
    ['run', []],
    ['run', { ...run, uid: 0 }],
    ['run', { ...run, account: { ...ann, username: '../root' } }],
    ['run', { ...run, account: { ...ann, username: 'ann\n' } }],
    ['run', { ...run, account: { ...ann, id: 0 } }],
    ['run', { ...run, account: { ...ann, id: -FIRST_ID } }],
    ['run', { ...run, account: { ...ann, id: 1.5 } }],
    ['run', { ...run, account: { ...ann, id: '1' } }],
    ['run', { ...run, state: '../x' }],
    ['run', { ...run, folder: '/etc' }],
    ['run', { ...run, folder: { plugin: 'shell', name: 'x' } }],
    ['run', { ...run, limits: { ...limits, memoryMib: 1e9 } }],
    ['run', { ...run, makesRoot: 'yes' }],
    ['attach', 'f'.repeat(32)],
    ['set-aside', { id: 1 }],
    ['remove-files', { id: 1, username: '.' }],
    ['give-files', { ...ann }],
    ['give-files', { account, components: ['..'], names: 0 }],
    ['give-files', { account, components: ['a/b'], names: 1 }],
    ['give-files', { account, components: 'site', names: 1 }],
    ['give-files', { account, components: ['\0'], names: 1 }],
    ['quota.report', '/'],
    ['quota.report', '--help'],
    ['webserver.apply', { id: 'x', changes: [] }],
    ['webserver.reload', 'f'.repeat(16)],
    ['webserver.reload', { token: '../x', isProof: true }],
  ];
  for (const [verb, args] of cases)
    await client.call(verb, args, LIMIT_MS).then(
      () => assert.unreachable(`${verb} ${JSON.stringify(args)}`),
      (error: HttpError) =>
        assert.ok(['invalid_request', 'broker_unavailable'].includes(error.code), `${verb}: ${error.message}`),
    );
  assert.match(broker.output(), /"verb":"shell".*refused/, 'what is refused is logged');
  const outside = await codeOf(client.call('run', { ...run, account: { ...ann, id: 1_000_000 } }, LIMIT_MS));
  assert.is(outside, 'files_unavailable', 'beyond ids.count');
});

// threat stolen-service: what is sent is bounded in length and depth before it is parsed
test('a message that is too long or nests too deep closes its connection, unparsed', async () => {
  const deep = '['.repeat(1_500_000) + ']'.repeat(1_500_000);
  for (const [args, reason] of [
    [deep, /a message nests deeper than 100/],
    [`"${'x'.repeat(5 << 20)}"`, /a message of \d+ bytes exceeds 4194304/],
  ] as const) {
    const json = `{"verb":"version","args":${args}}`;
    const header = Buffer.alloc(8);
    header.writeUInt32LE(json.length);
    const socket = connect(broker.socket).on('error', () => undefined); // closed while it is written to
    let answer = '';
    socket.on('data', (bytes) => (answer += bytes.toString()));
    socket.write(header);
    socket.write(json);
    await new Promise((resolve) => socket.once('close', resolve));
    assert.is(answer, '');
    await until(`${reason} is logged`, () => reason.test(broker.output()));
  }
  assert.is(await client.call('version', `text [[[ "\\" ${'{'.repeat(200)}`, LIMIT_MS), VERSION);
});

// threat other-accounts: the system refuses one account what is another's
test('an account gets a user id and a folder that only it and the web server enter', async () => {
  const [mine, others] = [await who(ann), await who(bea)];
  assert.equal([mine.uid, mine.gid, mine.groups], [FIRST_ID + 1, FIRST_ID + 1, [FIRST_ID + 1]]);
  assert.is(others.uid, FIRST_ID + 2);
  for (const set of ['CapEff', 'CapPrm', 'CapAmb']) assert.is(Number(`0x${mine.status[set]}`), 0, set);
  assert.is(mine.status['NoNewPrivs'], '1');
  assert.equal([mine.environment.toSorted(), mine.networks], [['LC_ALL', 'PATH'], []]);
  const [, dataBytes] = /Max data size +(\d+) +\1 /.exec(mine.limits) ?? [];
  const forCode = Number(dataBytes) - 192 * 2 ** 20; // what the broker's own process maps, some pages more or less
  assert.ok(codeBytes() === 0 ? forCode === 0 : forCode > 0 && forCode <= 512 * 2 ** 20, `${forCode} bytes for code`);
  const { uid, gid, mode } = statSync(join(broker.folder, 'files/ann'));
  const [, , www] = execFileSync('getent', ['group', 'www-data'], { encoding: 'utf8' }).split(':');
  assert.equal([uid, gid, mode & 0o777], [FIRST_ID + 1, Number(www), 0o750]);
  await ask(bea, { act: 'make', path: 'site/public' });
  const made = statSync(join(broker.folder, 'files/bea/site/public'));
  assert.equal([made.uid, made.gid, made.mode & 0o777], [FIRST_ID + 2, FIRST_ID + 2, 0o755]);
  writeFileSync(join(broker.folder, 'files/bea/secret'), 'of bea');
  assert.is(await ask(ann, { act: 'read', path: join(broker.folder, 'files/bea/secret') }), 'EACCES');
  assert.is(await ask(ann, { act: 'read', path: broker.socket }), 'EACCES');
});

// threat swapped-root: a folder of somebody else is no account's, whatever its name
test('a foreign folder is refused, and a missing one is made only when needed', async () => {
  const path = join(broker.folder, 'files/cleo');
  const cleo = { id: 3, username: 'cleo' };
  assert.is(((await jobs.run(probe(), cleo, { act: 'who' })) as Process).uid, FIRST_ID + 3);
  assert.not(existsSync(path));
  assert.is((await who(cleo)).uid, FIRST_ID + 3, 'another process, which makes the folder');
  assert.ok(existsSync(path));
  for (const [id, owner] of [
    [4, 0],
    [5, FIRST_ID + 1],
  ] as const) {
    const name = `of${id}`;
    mkdirSync(join(broker.folder, 'files', name));
    chownSync(join(broker.folder, 'files', name), owner, owner);
    assert.is(await codeOf(ask({ id, username: name }, { act: 'who' })), 'files_unavailable');
  }
});

// threat stolen-service: a job is code of Hostkeep, not a file that a caller names
test('a process imports no file but jobs', async () => {
  const file = join(broker.folder, 'files/ann/evil-job.js');
  writeFileSync(file, 'export default () => process.getuid();', { mode: 0o644 });
  const evil = { ...probe(), file };
  assert.is(await codeOf(jobs.run(evil, ann, { act: 'who' })), 'files_unavailable');
  const passwd = { ...probe(), file: join(import.meta.dirname, '../../../../kernel/run/main.js') };
  assert.is(await codeOf(jobs.run(passwd, ann, { act: 'who' })), 'files_unavailable');
});

test('a process that breaks a limit, hangs, or whose caller goes away is killed', async () => {
  const { pid } = await who(ann);
  const spinning = () => !existsSync(`/proc/${pid}/exe`);
  assert.is(await codeOf(ask(ann, { act: 'spin' }, 1000)), 'overloaded');
  await until('the process that spins is gone', spinning);
  const pipe = join(broker.folder, 'files/bea/pipe');
  execFileSync('mkfifo', ['--mode=666', '--', pipe]);
  await who(bea); // its process runs, so that the time is for the pipe alone, and enough to begin to read
  assert.is(await codeOf(ask(bea, { act: 'read', path: pipe }, 5000)), 'files_unavailable');
  const own = new AccountJobs(
    accountFiles(join(broker.folder, 'files/{username}')),
    { processes: 1, memory_mib: 192 },
    createLog('silent'),
    client,
  );
  const waiting = (await own.run(probe(), ann, { act: 'who' })) as Process;
  await own.close();
  await until('the process without a caller is gone', () => !existsSync(`/proc/${waiting.pid}/exe`));
});

test('what jobs keep is in a folder of the account, which goes with its files', async () => {
  const pool = jobs.open({ name: 'kept', processes: 1, idleMs: 60_000 });
  const dora = { id: 6, username: 'dora' };
  const process = (await pool.run(probe(), jobs.ownerOf(dora, { state: 'probe', makesRoot: true }), {
    act: 'who',
  })) as Process;
  const state = join(broker.folder, 'state/6/probe');
  assert.equal([process.folder, statSync(state).uid], [state, FIRST_ID + 6]);
  await pool.close();
  writeFileSync(join(broker.folder, 'files/dora/page'), 'x');
  assert.equal(await jobs.setAside(dora), { hadFiles: true });
  assert.equal(
    ['files/dora', 'state/6', 'files/.removed/dora-6/page'].map((path) => existsSync(join(broker.folder, path))),
    [false, false, true],
  );
  assert.is((await jobs.removeFiles(dora, new AbortController().signal)).removed, 2);
  assert.not(existsSync(join(broker.folder, 'files/.removed/dora-6')));
});

// threat stolen-service: what is given is in the folder of the account that is named, and was root's
test('what root has put into a folder is given, until the caller goes away', async () => {
  const emil = { id: 7, username: 'emil' };
  await who(emil);
  const folder = join(broker.folder, 'files/emil/many');
  mkdirSync(folder);
  const files = 15_000; // which take longer than the word that nobody waits any more
  for (let i = 0; i < files; i += 1) writeFileSync(join(folder, String(i)), '');
  writeFileSync(join(folder, 'of-ann'), '');
  chownSync(join(folder, 'of-ann'), FIRST_ID + 1, FIRST_ID + 1);
  const give = (components: string[], followed: Partial<Followed> = {}) =>
    jobs.giveFiles(
      emil,
      { components, names: files + 1 },
      { signal: new AbortController().signal, onProgress: () => undefined, ...followed },
    );
  assert.is(await codeOf(give(['nowhere'])), 'folder_not_found');
  const enough = new AbortController();
  const canceled = give([], { signal: enough.signal, onProgress: () => enough.abort({ code: 'canceled' }) });
  assert.is(await codeOf(canceled), 'canceled');
  await until('the broker has ended it', () => /"verb":"give-files".*"msg":"refused or failed"/.test(broker.output()));
  assert.ok(statSync(folder).uid === 0, 'a folder is given after all that is in it');
  const { given, leftOut } = await give([]);
  assert.ok(given > 1000, String(given));
  assert.is(leftOut, 1);
  assert.equal(
    ['', '0', String(files - 1), 'of-ann'].map((name) => statSync(join(folder, name)).uid - FIRST_ID),
    [7, 7, 7, 1],
  );
});

test('settings are read again on request and SIGHUP; faults keep the old ones', async () => {
  const { settings } = broker;
  const verb = () =>
    client.call('quota.report', '/nonexistent', LIMIT_MS).then(String, ({ message }: Error) => message);
  assert.match(await verb(), /has no user quotas/);
  broker.change({ ...settings, plugins: { quota: false }, admin_listen: '127.0.0.1:1' }); // an address of the service's only
  await client.reload();
  assert.match(await verb(), /there is no verb quota\.report/);
  for (const [wrong, reason] of [
    [{ ...settings, ids: { first: FIRST_ID + 1 } }, /keeps its settings: changes of .*ids.* need a restart/],
    [{ ...settings, quota: { nonsense: true } }, /keeps its settings: .*quota\.nonsense/],
    [{ ...settings, log: { level: 'loud' } }, /log\.level/],
  ] as const) {
    broker.change(wrong);
    await client.reload().then(
      () => assert.unreachable(JSON.stringify(wrong)),
      (error: HttpError) => assert.match(`${error.code} ${error.message}`, reason),
    );
    assert.match(await verb(), /there is no verb quota\.report/);
  }
  broker.change(settings, { signal: true });
  await until('the settings are read', () => broker.output().includes('the settings were read again'));
  assert.match(await verb(), /has no user quotas/);
  broker.change({ ...settings, quota: 1 }, { signal: true });
  await until('the settings are refused', () => broker.output().includes('the settings were not changed'));
  assert.match(await verb(), /has no user quotas/);
  broker.change(settings);
});

test('without the broker work is refused, and goes on when it is there again', async () => {
  await broker.kill();
  assert.is(await codeOf(who(ann)), 'overloaded');
  assert.is(await codeOf(jobs.setAside({ id: 9, username: 'nina' })), 'broker_unavailable');
  await broker.up();
  assert.is((await who(ann)).uid, FIRST_ID + 1);
});

test('the broker needs root, user ids and a configuration only root may change', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'hostkeep.json');
  const socket = join(folder, 'socket');
  const refused = async (settings: unknown, pattern: RegExp, before: () => void = () => undefined) => {
    rmSync(file, { force: true });
    writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
    before();
    const { code, stderr } = await hostkeep(folder, ['--config', file, 'broker']);
    assert.is.not(code, 0);
    assert.match(stderr, pattern);
  };
  await refused({ broker: { socket }, ids: { first: 0 } }, /set ids\.first/);
  await refused({}, /set broker\.socket/);
  await refused({ broker: { socket } }, /may be changed by others/, () => chmodSync(file, 0o666));
  await refused({ broker: { socket } }, /may be changed by others/, () => chownSync(file, 65_534, 0));
  await refused({ broker: { socket } }, /may be changed by others/, () => chmodSync(folder, 0o777));
  assert.is(statSync(broker.socket).mode & 0o777, 0o600);
  assert.match(readFileSync('/proc/self/status', 'utf8'), /^Uid:\s+0\s/m, 'these tests run as root');
});
