/**
 * Control groups of version 2 as this kernel writes them, regardless of the version that the machine's engine uses. The
 * unified hierarchy can be mounted beside version 1, but memory and pids then stay with version 1, so tests write them.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as assert from '../../../support/assert.ts';
import { CgroupReader } from '../../../../plugins/containers/stats/cgroup-reader.ts';
import { parseContainers } from '../../../../plugins/containers/engine/container.ts';
import { cpuPercent, type ContainerSample } from '../../../../plugins/containers/stats/sample.ts';
import { dockerMissing } from '../../../support/docker.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { eventually } from '../../../support/until.ts';

const test = testSuite('containers-cgroup2');
const missing = dockerMissing(); // the tests need the same privileges and programs
const ID = process.pid.toString(16).padStart(64, 'd');
const GROUP = `libpod_parent/libpod-${ID}`;
const WRITTEN = {
  'memory.current': '4096\n',
  'memory.stat': 'inactive_file 0\n',
  'memory.max': 'max\n',
  'pids.current': '2\n',
};
const TICK_NS = 1e7;

/**
 * Creates a group with a busy process that is number 1 in its PID namespace. Calls `use` with the root under which the
 * reader finds the group, and with the process id of the parent.
 */
async function withBusyGroup(use: (root: string, parent: number) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hostkeep-cgroup2-'));
  const [mounted, root] = [join(folder, 'mounted'), join(folder, 'root')];
  mkdirSync(mounted);
  execFileSync('mount', ['-t', 'cgroup2', 'none', mounted]);
  try {
    mkdirSync(join(mounted, GROUP), { recursive: true });
    const busy = spawn(
      'sh',
      [
        '-c',
        `echo $$ > '${join(mounted, GROUP)}/cgroup.procs' && exec unshare --pid --fork --kill-child busybox sh -c 'while :; do :; done'`,
      ],
      { stdio: 'ignore' },
    );
    try {
      mkdirSync(join(root, 'sys/fs/cgroup', GROUP), { recursive: true });
      symlinkSync('/proc', join(root, 'proc'));
      for (const name of ['cgroup.procs', 'cpu.stat'])
        symlinkSync(join(mounted, GROUP, name), join(root, 'sys/fs/cgroup', GROUP, name));
      for (const [name, text] of Object.entries(WRITTEN)) writeFileSync(join(root, 'sys/fs/cgroup', GROUP, name), text);
      await use(root, busy.pid ?? 0);
    } finally {
      busy.kill('SIGKILL');
      await once(busy, 'exit');
      while (readFileSync(join(mounted, GROUP, 'cgroup.procs'), 'utf8') !== '') await delay(10);
    }
  } finally {
    for (const group of [GROUP, 'libpod_parent']) rmdirSync(join(mounted, group));
    execFileSync('umount', [mounted]);
    rmSync(folder, { recursive: true });
  }
}

/** Processor time of a process: fields 14 and 15 of its `stat`, see proc(5). */
function usedNs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_NS;
}

if (missing !== undefined) reportSkipped(missing);
else {
  test('the first process and the processor time of a real group are read', () =>
    withBusyGroup(async (root, parent) => {
      const [container] = parseContainers([{ Id: ID, State: 'running' }]);
      assert.ok(container !== undefined);
      const reader = new CgroupReader(root);
      const started = () => reader.firstProcess(container, 1);
      const pid = await eventually('the process has started', started, (found) => found !== undefined);
      assert.is(pid, Number(readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')));
      if (pid === undefined) return;
      const read = async (process: number): Promise<ContainerSample> => {
        const sample = await reader.read(container, process, 1);
        if (sample === 'gone') throw new Error(`process ${process} is not in the group`);
        return sample;
      };
      const startedNs = performance.now() * 1e6;
      const first = await read(pid);
      for (const enough = usedNs(pid) + 50 * TICK_NS; usedNs(pid) < enough;) await delay(20);
      const before = usedNs(pid);
      const last = await read(pid);
      const after = usedNs(pid);
      assert.ok(
        last.cpuNs >= before - 2 * TICK_NS && last.cpuNs <= after + 20 * TICK_NS,
        `${last.cpuNs} ns is not from ${before} to ${after}`,
      );
      const percent = cpuPercent(first, last);
      // The clock is read a moment after the file, or much later on a busy machine, but within the time that passed here.
      const most = (110 * (performance.now() * 1e6 - startedNs)) / (last.clockNs - first.clockNs);
      assert.ok(percent > 0 && percent <= most, `${percent} % of one processor, and at most ${most} %`);
      assert.equal([last.memoryBytes, last.pids], [4096, 2]);
      assert.is(await reader.read(container, process.pid, 1), 'gone', 'a process of another group');
    }));
}
