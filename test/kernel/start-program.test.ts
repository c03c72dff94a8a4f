import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import * as assert from '../support/assert.ts';
import { errorMessage } from '../../kernel/errors.ts';
import { runProgram, type RunOptions } from '../../kernel/kit/programs/run-program.ts';
import { canBeAlone, EXCEPTIONS, killProgram, startProgram } from '../../kernel/kit/programs/start-program.ts';
import { temporaryFolder } from '../support/folder.ts';
import { AS_NOBODY, NO_RIGHTS, rightsIn, WITH_CAPABILITIES } from '../support/process-rights.ts';
import { reportSkipped, testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('programs');
const run = promisify(execFile);
const MODULE = join(import.meta.dirname, '../../kernel/kit/programs/run-program.js');
const DAC_READ_SEARCH = 1 << 2;
const LIMIT_MS = 20_000;

/** Runs `cat` on a file from a process that has the capabilities of the shipped unit. */
async function readBelow(user: readonly string[], file: string, options: Partial<RunOptions> = {}): Promise<string> {
  const script = `import(${JSON.stringify(MODULE)})
    .then(({ runProgram }) => runProgram('cat', [${JSON.stringify(file)}], ${JSON.stringify({ timeoutMs: LIMIT_MS, ...options })}))
    .then(({ stdout }) => process.stdout.write(stdout))`;
  return (await run('setpriv', [...user, ...WITH_CAPABILITIES, '--', process.execPath, '-e', script])).stdout;
}

const rightsBelow = async (user: readonly string[], options: Partial<RunOptions> = {}) =>
  rightsIn(await readBelow(user, '/proc/self/status', options));

const isRoot = process.getuid?.() === 0;
if (!isRoot) reportSkipped('programs of a service with capabilities; run as root');

// threat inherited-rights: programs start without capabilities and cannot gain any
test('a program has no capability of the service that starts it', async () => {
  if (!isRoot) return;
  assert.equal(await rightsBelow([]), NO_RIGHTS);
  assert.equal(await rightsBelow(AS_NOBODY), NO_RIGHTS);
});

// threat inherited-rights: a program never starts with rights because they could not be found out
test('capabilities that cannot be read without descriptors are read later', async () => {
  if (!isRoot) return;
  const script = `
    const { closeSync, openSync } = await import('node:fs');
    const { runProgram } = await import(${JSON.stringify(MODULE)});
    const open = [];
    try {
      for (;;) open.push(openSync('/dev/null'));
    } catch {}
    const read = () => runProgram('cat', ['/proc/self/status'], { timeoutMs: ${LIMIT_MS} });
    const failure = await read().catch(({ code }) => code);
    for (const file of open) closeSync(file);
    console.log(failure, (await read()).stdout);`;
  const node = [process.execPath, '--input-type=module', '-e', script];
  const { stdout } = await run('prlimit', ['--nofile=64', '--', ...node]);
  assert.match(stdout, /^EMFILE /);
  assert.equal(rightsIn(stdout), NO_RIGHTS);
});

test('capabilities that cannot be read in time are read later', async () => {
  if (!isRoot) return;
  const script = `
    import childProcess from 'node:child_process';
    import { syncBuiltinESMExports } from 'node:module';
    const { spawnSync } = childProcess;
    const replace = (by) => { childProcess.spawnSync = by; syncBuiltinESMExports(); };
    const { runProgram } = await import(${JSON.stringify(MODULE)});
    const read = () => runProgram('cat', ['/proc/self/status'], { timeoutMs: ${LIMIT_MS} });
    replace((_, __, options) => spawnSync('sleep', ['1000'], { ...options, timeout: 10 }));
    const failure = await read().then(({ stdout }) => stdout, ({ code }) => code);
    replace(spawnSync);
    console.log(failure, (await read()).stdout);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
  assert.match(stdout, /^ETIMEDOUT /);
  assert.equal(rightsIn(stdout), NO_RIGHTS);
});

test('an exception keeps the capabilities that it names, if the service has them', async () => {
  if (!isRoot) return;
  for (const user of [[], AS_NOBODY]) {
    const { CapEff, NoNewPrivs } = await rightsBelow(user, { exception: 'du' });
    assert.equal([CapEff, NoNewPrivs], [DAC_READ_SEARCH, 1]);
  }
  const { CapEff = 0 } = await rightsBelow(AS_NOBODY, { exception: 'quota tools' });
  assert.is(CapEff, DAC_READ_SEARCH, 'the service has no sys_admin');
  for (const { keeps, reason } of Object.values(EXCEPTIONS)) assert.ok(keeps.length > 0 && reason.length > 20);
});

test('a program without a network keeps what its exception names', async () => {
  if (!isRoot) return;
  const file = join(temporaryFolder(), 'secret');
  writeFileSync(file, 'of root', { mode: 0o600 });
  assert.is(await readBelow(AS_NOBODY, file, { isOffline: true }), '');
  assert.is(await readBelow(AS_NOBODY, file, { isOffline: true, exception: 'du' }), 'of root');
});

test("a program started by a job has no capability, even if the job has root's", async () => {
  const script = `import(${JSON.stringify(MODULE)})
    .then(({ runProgram }) => runProgram('cat', ['/proc/self/status'], { timeoutMs: ${LIMIT_MS} }))
    .then(({ stdout }) => process.stdout.write(stdout))`;
  const options = { timeoutMs: LIMIT_MS, exception: 'job' } as const;
  const { stdout, stderr } = await runProgram(process.execPath, ['-e', script], options);
  assert.equal(rightsIn(stdout), NO_RIGHTS, stderr);
});

test('a program has no capability of this process, and runs as the user that is chosen', async () => {
  const { stdout } = await runProgram('cat', ['/proc/self/status'], { timeoutMs: LIMIT_MS });
  assert.equal(rightsIn(stdout), NO_RIGHTS);
  if (!isRoot) return;
  const user = { uid: 61_234, gid: 61_235 };
  const other = await runProgram('cat', ['/proc/self/status'], { timeoutMs: LIMIT_MS, user });
  assert.match(other.stdout, /^Uid:\s61234\s61234\s61234\s61234\nGid:\s61235\s61235\s61235\s61235$/m);
  assert.match(other.stdout, /^Groups:\s*$/m);
  assert.equal(rightsIn(other.stdout), NO_RIGHTS);
  assert.match(other.stdout, /^CapBnd:\s0+$/m);
});

test('a program gets two variables, those that are named, and no input', async () => {
  process.env['HOSTKEEP_TEST_SECRET'] = 'secret';
  const { stdout } = await runProgram('env', [], { timeoutMs: LIMIT_MS, env: { HOME: '/nonexistent' } });
  const names = stdout.split('\n').map((line) => line.split('=')[0] ?? '');
  assert.equal(names.filter((name) => name !== '' && name !== 'NODE_V8_COVERAGE').toSorted(), [
    'HOME',
    'LC_ALL',
    'PATH',
  ]);
  assert.is((await runProgram('cat', [], { timeoutMs: LIMIT_MS })).code, 0);
});

test('no shell reads arguments, and a missing program is refused', async () => {
  const { stdout } = await runProgram('echo', ['$HOME;', '*', '--'], { timeoutMs: LIMIT_MS });
  assert.is(stdout, '$HOME; * --\n');
  const missing = await runProgram('hostkeep-missing', [], { timeoutMs: LIMIT_MS }).catch((error: unknown) => error);
  assert.is((missing as NodeJS.ErrnoException).code, 'ENOENT');
});

/** Runs a shell script until its time is over, which is long enough for it to say a process id; resolves with that. */
async function saidInTime(script: string): Promise<number> {
  const said: string[] = [];
  for (let timeoutMs = 500; said.length === 0; timeoutMs *= 2) {
    const ran = await runProgram('sh', ['-c', script], { timeoutMs, onOutput: (pid) => said.push(pid.trim()) });
    assert.equal([ran.code, ran.endedBy], [null, 'SIGKILL']);
  }
  assert.match(said.join(), /^\d+$/);
  return Number(said[0]);
}

test('the time limit ends a program and its children', async () => {
  const child = await saidInTime('sleep 1000 & echo $!; wait');
  await until('its child ends', () => !existsSync(`/proc/${child}`));
});

test('a program that cannot be killed is abandoned', async () => {
  const child = await saidInTime("setsid sh -c 'echo $$; exec sleep 1000' & exit 3"); // not in the group, and holds the pipes
  assert.ok(existsSync(`/proc/${child}`));
  process.kill(child, 'SIGKILL');
});

test('a program that prints too much is ended; the rest of its errors is dropped', async () => {
  const much = await runProgram('yes', [], { timeoutMs: LIMIT_MS, stdoutBytes: 10_000 }).catch(errorMessage);
  assert.is(much, 'yes printed more than 10000 bytes');
  const script = 'i=0; while [ $i -lt 3000 ]; do echo "error $i" >&2; i=$((i+1)); done; echo done';
  const { code, stdout, stderr } = await runProgram('sh', ['-c', script], { timeoutMs: LIMIT_MS });
  assert.equal([code, stdout, stderr.length], [0, 'done\n', 1000]);
  assert.ok(stderr.startsWith('error 0\nerror 1\n'));
});

test('an abort ends a program with its reason', async () => {
  const abort = new AbortController();
  const ended = runProgram('sleep', ['1000'], { timeoutMs: LIMIT_MS, signal: abort.signal }).catch(errorMessage);
  abort.abort(new Error('no longer wanted'));
  assert.is(await ended, 'no longer wanted');
  assert.is(
    await runProgram('sleep', ['1000'], { timeoutMs: LIMIT_MS, signal: abort.signal }).catch(errorMessage),
    'no longer wanted',
  );
});

test('limits of the system hold, and no core file is written', async () => {
  const limits = { dataBytes: 64 << 20, cpuSeconds: 7, openFiles: 32, fileBytes: 4096 };
  const { stdout } = await runProgram('cat', ['/proc/self/limits'], { timeoutMs: LIMIT_MS, limits });
  const limitOf = (name: string) => new RegExp(`^Max ${name} +(\\S+) +(\\S+)`, 'm').exec(stdout)?.slice(1);
  for (const [name, value] of [
    ['data size', '67108864'],
    ['cpu time', '7'],
    ['open files', '32'],
    ['file size', '4096'],
    ['core file size', '0'],
  ] as const)
    assert.equal(limitOf(name), [value, value], name);
});

test('a program without a network has a loopback interface only', async () => {
  const { stdout } = await runProgram('cat', ['/proc/net/dev'], { timeoutMs: LIMIT_MS, isOffline: true });
  const names = [...stdout.matchAll(/^\s*(\S+):/gm)].map(([, name]) => name);
  const isPossible = await run('unshare', isRoot ? ['--net', 'true'] : ['--user', '--net', 'true']).then(
    () => true,
    () => false,
  );
  if (isPossible)
    assert.ok(names.every((name) => name === 'lo' || /^(sit|tunl|ip6tnl|gre|erspan|ip_vti)/.test(name ?? '')));
  else assert.ok(names.length > 0);
});

// threat inherited-rights: who has no rights gains none by a namespace of his own
test('a program without rights that is alone sees no other process, and has none', async () => {
  if (!isRoot) return;
  const command = ['-c', 'echo /proc/[0-9]*; cat /proc/self/status'];
  const script = `import(${JSON.stringify(MODULE)})
    .then(({ runProgram }) => runProgram('sh', ${JSON.stringify(command)}, { timeoutMs: ${LIMIT_MS}, isAlone: true }))
    .then(({ stdout }) => process.stdout.write(stdout))`;
  const { stdout } = await run('setpriv', [...AS_NOBODY, '--', process.execPath, '-e', script]);
  assert.equal(rightsIn(stdout), NO_RIGHTS);
  const isPossible = await run('setpriv', [...AS_NOBODY, 'unshare', '--user', '--pid', '--fork', 'true']).then(
    () => true,
    () => false,
  );
  const [seen = ''] = stdout.split('\n');
  assert.is(seen.split(' ').length < 4, isPossible, seen);
});

// threat crowding-out: what one leaves where everybody may write is in nobody's way
test('a program that is alone has folders of its own, and no way to change /proc', async () => {
  if (!isRoot || !canBeAlone()) return;
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const script =
    'ls /sys/fs/cgroup; touch /dev/shm/left /var/tmp/left; [ ! -e "$0" ] || echo sees; [ ! -w /proc/sys/kernel/core_pattern ] || echo changes';
  const told = async (sees: readonly string[]) =>
    (await runProgram('sh', ['-c', script, file], { timeoutMs: LIMIT_MS, isAlone: true, sees })).stdout;
  assert.equal([await told([]), await told([file])], ['', 'sees\n']);
  for (const folder of ['/dev/shm', '/var/tmp']) assert.not(existsSync(`${folder}/left`));
});

test('a started program has the pipes that are asked for, and is killed with its group', async () => {
  const script = 'sleep 1000 & echo $! >&3; read line; echo "got $line"; wait';
  const program = startProgram('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore', 'pipe'], isGroup: true });
  program.stdin?.write('a line\n');
  const [pid] = (await once(program.stdio[3] as Readable, 'data')) as [Buffer];
  const [line] = (await once(program.stdout as Readable, 'data')) as [Buffer];
  assert.is(line.toString(), 'got a line\n');
  killProgram(program, { isGroup: true });
  const [, signal] = (await once(program, 'exit')) as [null, string];
  assert.is(signal, 'SIGKILL');
  await until('its child ends', () => !existsSync(`/proc/${pid.toString().trim()}`));
  killProgram(program, { isGroup: true });
});
