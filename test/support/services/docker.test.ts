/** The test engine leaves nothing behind, however it or its test ends, and affects nothing else. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../assert.ts';
import { dockerMissing, NETWORK, TestDocker } from '../docker.ts';
import { processesOf } from '../engine-remains.ts';
import { reportSkipped, testSuite } from '../suite.ts';

const test = testSuite('test engine');
const missing = dockerMissing();
const BUSY = 'while :; do :; done';
const MODULE = join(import.meta.dirname, '../docker.js');
let toEnd: (() => unknown)[] = [];
test.after.each(async () => {
  for (const end of toEnd) await end();
  toEnd = [];
});

async function startDocker(): Promise<TestDocker> {
  const docker = await TestDocker.start();
  toEnd.push(() => docker.stop());
  return docker;
}

function assertNothingLeft(folder: string, ids: readonly string[]): void {
  assert.equal(processesOf(folder, new Set(ids)), []);
  assert.not(existsSync(folder));
  assert.not(readFileSync('/proc/self/mountinfo', 'utf8').includes(folder));
  for (const id of ids) assert.not(existsSync(`/sys/fs/cgroup/memory/docker/${id}`));
}

/** Starts a process that runs until it is killed; resolves with its first output. */
async function startNode(...args: string[]): Promise<{ child: ChildProcess; text: string }> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  toEnd.push(() => child.kill('SIGKILL'));
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, text: text.toString() };
}

function withDocker(): void {
  test('stopping a crashed engine ends nothing that only names its folder', async () => {
    const docker = await startDocker();
    const { child: other } = await startNode(
      '-e',
      'process.stdout.write("up"); process.stdin.resume()',
      join(docker.folder, 'shared.sock'),
    );
    const id = await docker.run(BUSY, '--network', NETWORK, '--cpus', '0.1');
    const bridge = `br-${(await docker.cli('network', 'inspect', '--format', '{{.Id}}', NETWORK)).slice(0, 12)}`;
    assert.not(existsSync(`/sys/class/net/${bridge}`), 'its network is its own');
    assert.ok((await docker.inNetwork('busybox', 'ip', 'link')).includes(bridge));
    await docker.crash();
    assert.ok(processesOf(docker.folder, new Set([id])).length >= 2, 'the container and its shim still run');
    await docker.stop();
    assertNothingLeft(docker.folder, [id]);
    const ended = once(other, 'exit');
    other.stdin?.on('error', () => undefined).end();
    assert.equal(await ended, [0, null]);
  });

  test('starting an engine removes only what a killed test left', async () => {
    const script = `const { NETWORK, TestDocker } = await import(${JSON.stringify(MODULE)}); const docker = await TestDocker.start();
      const id = await docker.run(${JSON.stringify(BUSY)}, '--network', NETWORK, '--cpus', '0.1');
      process.stdout.write(JSON.stringify([docker.folder, id])); process.stdin.resume();`;
    const { child: killed, text } = await startNode('--input-type=module', '-e', script);
    const [folder, id] = JSON.parse(text) as [string, string];
    const beside = await startDocker();
    assert.ok(processesOf(folder, new Set([id])).length >= 4, 'its process is alive');
    await beside.stop();
    assert.ok(processesOf(folder, new Set([id])).length >= 4, 'its process is still alive');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    await (await startDocker()).stop();
    assertNothingLeft(folder, [id]);
  });
}

if (missing === undefined) withDocker();
else reportSkipped(missing);
