import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { cpus, getPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as assert from '../support/assert.ts';
import type { HttpError } from '../../kernel/errors.ts';
import { AccountJobs } from '../../kernel/kit/jobs/account-jobs.ts';
import { launchHere, startJobProcess, type JobLauncher, type LaunchedJob } from '../../kernel/kit/jobs/job-launch.ts';
import { JobPool } from '../../kernel/kit/jobs/job-pool.ts';
import { readProcessorTime } from '../../kernel/kit/programs/processor-time.ts';
import { killProgram } from '../../kernel/kit/programs/start-program.ts';
import { createLog } from '../../kernel/log.ts';
import { codeOf } from '../support/code-of.ts';
import { probeJobOf as probe } from '../support/defined-probe.ts';
import { accountFiles } from '../support/files-root.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('job time');
const files = temporaryFolder();
const log = createLog('silent');
const jobs = new AccountJobs(accountFiles(`${files}/{username}`), { processes: 2, memory_mib: 192 }, log);
const ann = jobs.ownerOf({ id: 1, username: 'ann' });
const limits = { memoryMib: 192, openFiles: 100, fileMib: 1, replyMib: 1 };

test.before(() => {
  chmodSync(files, 0o755);
  mkdirSync(join(files, 'ann'));
});
test.after(() => jobs.close());

/** Runs `work` with a pool whose processes are changed by `change`. */
async function withPool(change: (launched: LaunchedJob) => LaunchedJob, work: (pool: JobPool) => Promise<void>) {
  const launch: JobLauncher = (owner, given) => change(launchHere(jobs.startOf(owner), given));
  const pool = new JobPool({ name: 'test', processes: 1, idleMs: 60_000, limits }, launch, log);
  await work(pool).finally(() => pool.close());
}

test('the start of a process is not the time of its job', async () => {
  const limitMs = 300;
  const slow = ({ connection, ...launched }: LaunchedJob): LaunchedJob => ({
    ...launched,
    connection: delay(3 * limitMs).then(() => connection),
  });
  await withPool(slow, async (pool) => {
    assert.is(await codeOf(pool.run(probe(limitMs), ann, { act: 'who' })), 'done');
    assert.is(await codeOf(pool.run(probe(limitMs), ann, { act: 'spin' })), 'overloaded', 'its own time has an end');
  });
});

// threat crowding-out: a customer is not blamed for what others do to the machine
test('a job that lacks processor time is told so, and may try again', async () => {
  const starved = (launched: LaunchedJob): LaunchedJob => ({
    ...launched,
    processorTime: async () => ({ isRunning: true, seconds: 0 }),
  });
  await withPool(starved, async (pool) => {
    const refusal = await pool.run(probe(100), ann, { act: 'spin' }).catch((error: HttpError) => error);
    const { code, message, headers } = refusal as HttpError;
    assert.equal([code, headers?.['Retry-After']], ['overloaded', '10']);
    assert.match(message, /the server is busy/);
    await pool.run(probe(100), ann, { act: 'spin' }).catch(() => undefined);
    assert.ok(pool.has(ann.key) === false && (await codeOf(pool.run(probe(), ann, { act: 'who' }))) === 'done');
  });
});

test('the time in which its caller is busy is not time of the job', async () => {
  const limitMs = 300;
  const isNever = new Int32Array(new SharedArrayBuffer(4));
  const onAsk = async () => {
    Atomics.wait(isNever, 0, 0, 3 * limitMs);
    return { answer: 'late', bytes: Buffer.alloc(0) };
  };
  await withPool(
    (launched) => launched,
    async (pool) => {
      const asked = pool.run(probe(limitMs), ann, { act: 'ask', question: 'when', times: 1 }, { onAsk });
      assert.equal(await asked, ['late ']);
    },
  );
});

test('a process starts at the priority of its server, and so long as no job began', async () => {
  const child = startJobProcess(jobs.startOf(ann), limits);
  try {
    let before = -1;
    await until('the process waits for its first job', () => {
      const { isRunning, seconds } = readProcessorTime(child.pid);
      const isWaiting = !isRunning && seconds > 0 && seconds === before;
      before = seconds;
      return isWaiting;
    });
    assert.is(getPriority(child.pid), getPriority());
  } finally {
    killProgram(child, { isGroup: true });
  }
});

test('jobs are done while other programs keep all processors busy', async () => {
  // each in a session of its own, because the system shares processors among sessions
  const spinning = Array.from({ length: 10 * cpus().length }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore', detached: true }),
  );
  try {
    const pool = jobs.open({ name: 'test', processes: 1, idleMs: 60_000 });
    assert.is(await codeOf(pool.run(probe(500), ann, { act: 'who' })), 'done');
    assert.is(await codeOf(pool.run(probe(500), ann, { act: 'own' })), 'done');
    await pool.close();
  } finally {
    for (const child of spinning) child.kill('SIGKILL');
  }
});
