import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { getPriority, setPriority } from 'node:os';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { fail, type HttpError } from '../../kernel/errors.ts';
import { AccountJobs } from '../../kernel/kit/jobs/account-jobs.ts';
import { codeBytes, launchHere, type JobLauncher, type LaunchedJob } from '../../kernel/kit/jobs/job-launch.ts';
import { JOB_QUESTIONS, WithBytes, type JobRunOptions } from '../../kernel/kit/jobs/job.ts';
import { JobPool } from '../../kernel/kit/jobs/job-pool.ts';
import { lowerPriority } from '../../kernel/kit/programs/lower-priority.ts';
import { createLog } from '../../kernel/log.ts';
import { codeOf } from '../support/code-of.ts';
import { probeJobOf as probe } from '../support/defined-probe.ts';
import { accountFiles } from '../support/files-root.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { ProbeInput, Process } from '../support/probe-job.ts';
import { until } from '../support/until.ts';
import { TestServer } from '../support/hostkeep.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('jobs');
const files = temporaryFolder();
const stateRoot = temporaryFolder();
const log = createLog('silent');
const jobs = new AccountJobs(
  accountFiles(`${files}/{username}`, { stateRoot }),
  { processes: 4, memory_mib: 192 },
  log,
);
const [ann, bea] = [
  { id: 1, username: 'ann' },
  { id: 2, username: 'bea' },
];
/** Long enough for a job to begin, on a busy machine: one that has not is no job that hangs. */
const BEGUN_MS = 5000;
const ask = (account: typeof ann, input: ProbeInput, timeoutMs?: number) => jobs.run(probe(timeoutMs), account, input);
const who = async (account: typeof ann) => (await ask(account, { act: 'who' })) as Process;

test.before(() => {
  chmodSync(files, 0o755);
  for (const [name, id] of [
    ['ann', 70_001],
    ['bea', 70_002],
  ] as const) {
    mkdirSync(join(files, name), { mode: 0o700 });
    writeFileSync(join(files, name, 'secret'), `of ${name}`, { mode: 0o600 });
    for (const path of [name, `${name}/secret`]) chownSync(join(files, path), id, id);
  }
});
test.after(() => jobs.close());

// threat hung-file-system: a job that waits for ever is abandoned, and its account's files are avoided for a while
test('a job that hangs is stopped at its deadline, and others are answered meanwhile', async () => {
  const other = { id: 3, username: 'cleo' };
  mkdirSync(join(files, 'cleo'));
  execFileSync('mkfifo', ['--', join(files, 'cleo/pipe')]);
  await who(other);
  const hung = codeOf(ask(other, { act: 'read', path: join(files, 'cleo/pipe') }, BEGUN_MS));
  assert.is(await codeOf(ask(bea, { act: 'who' })), 'done');
  assert.is(await hung, 'files_unavailable');
  assert.is(await codeOf(ask(other, { act: 'who' })), 'files_unavailable', 'refused at once');
  assert.is(await codeOf(ask(bea, { act: 'who' })), 'done');
});

// threat hostile-files: memory, time, output and files of a job are limited by the system, and only its own process ends
test('a job that breaks a limit is refused for a while, and its account goes on', async () => {
  const before = process.memoryUsage().rss;
  const cases = [
    ['grow', 'overloaded', 60_000],
    ['spin', 'overloaded', 1000],
    ['flood', 'overloaded', 20_000],
    ['exit', 'overloaded', 20_000],
  ] as const;
  const pool = jobs.open({ name: 'test', processes: 1, idleMs: 60_000, limits: { memoryMib: 192 } });
  const run = (input: ProbeInput, timeoutMs?: number) => pool.run(probe(timeoutMs), jobs.ownerOf(ann), input);
  for (const [act, code, timeoutMs] of cases) {
    const { pid } = (await run({ act: 'who' })) as Process;
    assert.is(await codeOf(run({ act }, timeoutMs)), code, act);
    const refused = (await run({ act }, timeoutMs).catch((error: unknown) => error)) as HttpError;
    assert.equal([refused.code, refused.headers?.['Retry-After']], [code, '10']);
    assert.not.ok(pool.has(ann.id), 'the same question again is not tried');
    await until(`the process of ${act} is gone`, () => !existsSync(`/proc/${pid}/exe`));
  }
  assert.is(await codeOf(run({ act: 'who' })), 'done');
  await pool.close();
  assert.is(await codeOf(ask(ann, { act: 'write', path: 'too-large' })), 'files_unavailable', 'nor may it write here');
  assert.ok(process.memoryUsage().rss - before < 64 << 20);
});

test('a job asks its caller, who answers, refuses, and is not asked too much', async () => {
  const { signal } = new AbortController();
  const run = (question: unknown, times = 1, onAsk?: JobRunOptions['onAsk']) =>
    jobs.run(probe(), ann, { act: 'ask', question, times }, { signal, ...(onAsk && { onAsk }) });
  const echo = async (question: unknown, bytes: Buffer) => ({ answer: question, bytes: Buffer.concat([bytes, bytes]) });
  assert.equal(await run('well', 3, echo), ['well askedasked', 'well askedasked', 'well askedasked']);
  const refuse = async () => {
    throw fail.folder_not_found('nothing there', { retryAfterSeconds: 7 });
  };
  assert.equal(await run('well', 1, refuse), ['folder_not_found: nothing there: 7']);
  const never = () => new Promise<never>(() => undefined);
  assert.is(await codeOf(run('too much', JOB_QUESTIONS + 1, never)), 'overloaded');
  assert.is(await codeOf(run('nobody answers')), 'overloaded');
});

// asvs 13.2.2: a process for customers' files has the rights of that customer and no others
// threat inherited-rights: jobs have no capability, no group, no environment and no network
test('a job has its own process, the user id of its files, and no other right', async () => {
  const [mine, others] = [await who(ann), await who(bea)];
  assert.equal([mine.uid, mine.gid, mine.groups], [70_001, 70_001, [70_001]]);
  assert.equal([others.uid, others.gid], [70_002, 70_002]);
  assert.is.not(mine.pid, others.pid);
  for (const set of ['CapEff', 'CapPrm', 'CapAmb']) assert.is(Number(`0x${mine.status[set]}`), 0, set);
  assert.is(mine.status['NoNewPrivs'], '1');
  assert.equal(mine.environment.toSorted(), ['LC_ALL', 'PATH']);
  assert.equal(mine.networks, []);
  const dataBytes = 192 * 2 ** 20 + codeBytes();
  assert.match(mine.limits, new RegExp(`Max data size +${dataBytes} +${dataBytes} `));
  assert.match(mine.limits, /Max core file size +0 +0/);
  assert.is((await who(ann)).pid, mine.pid, 'the next job of the account runs there too');
  assert.is(await ask(ann, { act: 'own' }), 70_001);
});

test('an urgent job keeps the priority of its server, unlike the next job', async () => {
  const eli = { id: 5, username: 'eli' };
  const priorityAfter = async (isUrgent: boolean) =>
    getPriority(((await jobs.run(probe(), eli, { act: 'who' }, { isUrgent })) as Process).pid);
  assert.is(await priorityAfter(true), getPriority());
  assert.is(await priorityAfter(false), Math.min(19, getPriority() + 5));
});

test('a thread that ends meanwhile needs no lower priority', () => {
  const { pid } = spawnSync('true');
  lowerPriority(pid, 10);
  assert.throws(() => lowerPriority(pid, 1000), /out of range/);
});

test('the priority of a job is lower than that of its server, whatever that is', async () => {
  const dora = { id: 4, username: 'dora' };
  const own = getPriority();
  try {
    for (const niceness of [own, 10, 19]) {
      setPriority(niceness);
      const { pid } = await who(dora);
      const lower = Math.min(19, niceness + 5);
      for (const thread of readdirSync(`/proc/${pid}/task`)) assert.is(getPriority(Number(thread)), lower);
      const session = `/proc/${pid}/autogroup`;
      if (existsSync(session))
        await until('that of its session too', () => readFileSync(session, 'utf8').endsWith(` nice ${lower}\n`));
      process.kill(pid, 'SIGKILL');
      await until('the process is gone', () => !existsSync(`/proc/${pid}/exe`));
    }
  } finally {
    setPriority(own);
  }
});

// threat swapped-root: the system refuses another account's private file, whatever the job tries
test("a job cannot read another account's 0600 file or reach the network", async () => {
  assert.is(await ask(ann, { act: 'read', path: join(files, 'ann/secret') }), 'of ann');
  assert.is(await ask(ann, { act: 'read', path: join(files, 'bea/secret') }), 'EACCES');
  assert.is(await ask(ann, { act: 'read', path: '/etc/shadow' }), 'EACCES');
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  assert.match(String(await ask(ann, { act: 'connect', port: (server.address() as AddressInfo).port })), /ENETUNREACH/);
  server.close();
});

test('a folder that a job makes belongs to the account', async () => {
  await ask(bea, { act: 'make', path: 'site/public' });
  const made = statSync(join(files, 'bea/site/public'));
  assert.equal([made.uid, made.gid, made.mode & 0o777], [70_002, 70_002, 0o755]);
});

// threat swapped-root: a files root in a folder that its owner may change is refused
test('a files root that customers could exchange is refused; links are not followed', async () => {
  const nested = new AccountJobs(accountFiles(`${files}/{username}/www`), { processes: 1, memory_mib: 192 }, log);
  mkdirSync(join(files, 'bea/www'));
  assert.is(await codeOf(nested.run(probe(), bea, { act: 'own' })), 'files_unavailable', 'bea owns its parent');
  mkdirSync(join(files, 'dora'));
  symlinkSync(join(files, 'bea'), join(files, 'dora/www'));
  const dora = { id: 4, username: 'dora' };
  assert.is(await codeOf(nested.run(probe(), dora, { act: 'own' })), 'files_unavailable');
  rmSync(join(files, 'dora/www'));
  mkdirSync(join(files, 'dora/www'));
  assert.is(await nested.run(probe(), dora, { act: 'own' }), 0, 'a plain folder of the operator is one');
  chmodSync(join(files, 'dora'), 0o777);
  const { ...again } = { id: 5, username: 'dora' };
  assert.is(await codeOf(nested.run(probe(), again, { act: 'own' })), 'files_unavailable', 'everybody may change it');
  await nested.close();
});

test('without user ids of accounts, a job makes a missing files root itself', async () => {
  const gina = { id: 8, username: 'gina' };
  assert.is(await codeOf(jobs.run(probe(), gina, { act: 'make', path: 'site' }, { makesRoot: true })), 'done');
  assert.is(statSync(join(files, 'gina/site')).uid, process.geteuid?.());
});

test('a files root that is made, or removed, while a process runs gets another process', async () => {
  const elsa = { id: 6, username: 'elsa' };
  const { pid, uid } = await who(elsa);
  assert.is(uid, process.geteuid?.());
  mkdirSync(join(files, 'elsa'));
  chownSync(join(files, 'elsa'), 70_006, 70_006);
  const after = await who(elsa);
  assert.equal([after.uid, after.pid !== pid], [70_006, true]);
  rmSync(join(files, 'elsa'), { recursive: true });
  assert.is((await who(elsa)).uid, process.geteuid?.());
});

test("error codes and bytes pass both ways; other failures are the server's", async () => {
  const refused = await ask(ann, { act: 'refuse' }).catch((error: HttpError) => error);
  assert.equal([(refused as HttpError).code, (refused as HttpError).headers?.['Retry-After']], ['overloaded', '7']);
  assert.is(await codeOf(ask(ann, { act: 'fail' })), 'folder_not_found');
  const reply = await jobs.run(probe(), ann, { act: 'bytes' }, { bytes: Buffer.from('ab') });
  assert.equal(reply, new WithBytes(Buffer.from('abab'), 2));
});

// threat hung-file-system: a process that cannot end in order does not outlive its caller
test('a process whose thread hangs ends with its caller', async () => {
  const pool = jobs.open({ name: 'test', processes: 1, idleMs: 60_000 });
  const folder = join(files, 'fred');
  mkdirSync(folder);
  execFileSync('mkfifo', ['--', join(folder, 'pipe')]);
  const fred = jobs.ownerOf({ id: 7, username: 'fred' });
  const { pid } = (await pool.run(probe(), fred, { act: 'who' })) as Process;
  const hung = codeOf(pool.run(probe(), fred, { act: 'read', path: join(folder, 'pipe') }));
  await new Promise((resolve) => setImmediate(resolve));
  await pool.close();
  assert.is(await hung, 'overloaded');
  assert.not.ok(existsSync(`/proc/${pid}`));
});

test('the same question is answered once for all who ask it at the same time', async () => {
  const counts = await Promise.all(Array.from({ length: 20 }, () => ask(bea, { act: 'count' })));
  assert.is(new Set(counts).size, 1);
  assert.is(await ask(bea, { act: 'count' }), Number(counts[0]) + 1);
});

// threat crowding-out: an account's jobs wait for each other, and are refused beyond a number
test('an account runs one job at a time, others run between, and many are refused', async () => {
  let answered = 0;
  const [crowd, pool]: [Promise<string>[], JobPool] = [
    [],
    jobs.open({ name: 'test', processes: 1, idleMs: 60_000, waiting: 32 }),
  ];
  const run = (account: typeof ann, path = '/') => pool.run(probe(), jobs.ownerOf(account), { act: 'read', path });
  for (let i = 0; i < 60; i += 1) crowd.push(codeOf(run(ann, `${files}/${i}`).then(() => (answered += 1))));
  assert.is(await codeOf(run(bea)), 'done');
  assert.ok(answered < 5, `${answered} jobs of the crowd went first`);
  const codes = await Promise.all(crowd);
  assert.equal([codes.filter((code) => code === 'overloaded').length, pool.processes], [27, 1]);
  await pool.close();
});

test('concurrent jobs of one owner leave a turn to others', async () => {
  const pool = jobs.open({ name: 'test', processes: 1, atOnce: 3, idleMs: 60_000 });
  const run = (account: typeof ann, input: ProbeInput) => pool.run(probe(), jobs.ownerOf(account), input);
  const pipe = join(files, 'ann/pipe');
  execFileSync('mkfifo', ['--mode=666', '--', pipe]);
  const blocked = run(ann, { act: 'read', path: pipe });
  const [first, second] = (await Promise.all([run(ann, { act: 'who' }), run(ann, { act: 'who' })])) as [
    Process,
    Process,
  ];
  assert.is(first.pid, second.pid);
  assert.is(pool.running, 1);
  const answered = new AbortController();
  const other = (run(bea, { act: 'who' }) as Promise<Process>).finally(() => answered.abort());
  const more = Array.from({ length: 2 }, async () => {
    while (!answered.signal.aborted) await run(ann, { act: 'who' });
  });
  writeFileSync(pipe, 'text');
  assert.is(await blocked, 'text');
  assert.is((await other).uid, 70_002);
  await Promise.all(more);
  const last = (await run(ann, { act: 'who' })) as Process;
  assert.is.not(last.pid, first.pid, 'the process made room for that of the other owner');
  await pool.close();
});

test('an idle process ends in order, keeps its folder, or ends at once when closed', async () => {
  const pool = jobs.open({ name: 'test', processes: 2, idleMs: 100 });
  const stateFolder = join(stateRoot, '1/probe');
  const owner = jobs.ownerOf(ann, { state: 'probe' });
  assert.is(await pool.run(probe(), owner, { act: 'count' }), 1);
  assert.is(await pool.run(probe(), owner, { act: 'count' }), 2, 'the process is kept');
  assert.is(statSync(stateFolder).uid, 70_001);
  const closed = join(stateFolder, 'closed');
  await until('it ends in order', () => existsSync(closed) && readFileSync(closed, 'utf8') === '2');
  assert.not.ok(pool.has(ann.id));
  const { pid } = (await pool.run(probe(), owner, { act: 'who' })) as Process;
  const gone = new AbortController();
  const spinning = pool
    .run(probe(), owner, { act: 'spin' }, { signal: gone.signal })
    .catch((error: Error) => error.name);
  setTimeout(() => gone.abort(), 50);
  assert.is(await spinning, 'AbortError');
  await until('its process is gone', () => !existsSync(`/proc/${pid}/exe`));
  assert.is(await pool.run(probe(), owner, { act: 'count' }), 1);
  await pool.close();
  assert.is(await codeOf(pool.run(probe(), owner, { act: 'count' })), 'overloaded');
});

// threat hung-file-system: a pool is closed though the system cannot end one of its processes
test('a process that cannot be killed does not hold up the end of its pool', async () => {
  const kept: LaunchedJob[] = [];
  const immortal: JobLauncher = (owner, limits) => {
    const launched = launchHere(jobs.startOf(owner), limits);
    kept.push(launched);
    return { ...launched, ended: new Promise(() => undefined), kill: () => undefined };
  };
  const pool = new JobPool({ name: 'test', processes: 1, idleMs: 60_000 }, immortal, log);
  const owner = jobs.ownerOf(bea);
  assert.is(await pool.run(probe(), owner, { act: 'count' }), 1);
  const spinning = codeOf(pool.run(probe(), owner, { act: 'spin' }));
  await pool.close();
  assert.is(await spinning, 'overloaded');
  for (const { kill, ended } of kept) {
    kill();
    await ended;
  }
});

// threat swapped-root: a server does not start with such a setting
test('a server whose customers could exchange their files root does not start', async () => {
  const data = temporaryFolder();
  const config = { files_root: '{data}/homes/{username}/www' };
  const server = await TestServer.start({ data, config });
  await server.account('owner');
  await server.close();
  mkdirSync(join(data, 'homes/owner/www'), { recursive: true });
  await (await TestServer.start({ data, config })).close();
  chownSync(join(data, 'homes/owner'), 70_001, 70_001);
  const refusal = await TestServer.start({ data, config }).catch((error: Error) => error);
  assert.match(String(refusal), /homes\/owner belongs to, or may be changed by, other users/);
});
