/** Finds and removes what a crashed container engine leaves: all that names its folder or one of its containers. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

const WAIT_MS = 20;
const ATTEMPTS = 500;
const ID = /^[0-9a-f]{64}$/;
const PROGRAM = /^(docker|dockerd|docker-proxy|containerd|containerd-shim.*|runc)$/;

/**
 * Kills the processes of an engine and of its containers, and removes their mounts and cgroups. Throws if a process
 * does not end.
 */
export function removeRemains(folder: string): void {
  const ids = new Set(containersIn(folder));
  for (let attempts = 0; ; attempts += 1) {
    const left = processesOf(folder, ids);
    if (left.length === 0) break;
    if (attempts === ATTEMPTS) throw new Error(`processes of the engine in ${folder} do not end: ${left.join(', ')}`);
    for (const pid of left) kill(pid);
    // they are not child processes, so there is no exit event
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
  }
  for (const path of mountsBelow(folder)) execFileSync('umount', ['--lazy', '--', path]);
  for (const id of ids) removeGroups(id);
  rmSync(folder, { recursive: true, force: true });
}

/** Returns process ids, and adds the containers that they name to `ids`. */
export function processesOf(folder: string, ids: Set<string>): number[] {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), command: textOf(`/proc/${name}/cmdline`).split('\0') }));
  const engine = processes.filter(
    ({ command: [program = '', ...words] }) =>
      PROGRAM.test(basename(program)) && words.some((word) => word.includes(`${folder}/`)),
  );
  for (const word of engine.flatMap(({ command }) => command)) if (ID.test(word)) ids.add(word);
  const inContainers = processes.filter(({ pid }) =>
    textOf(`/proc/${pid}/cgroup`)
      .split(/[/\n]/)
      .some((name) => ids.has(name)),
  );
  return [...new Set([...engine, ...inContainers].map(({ pid }) => pid))].filter((pid) => !isZombie(pid));
}

function containersIn(folder: string): string[] {
  try {
    return readdirSync(join(folder, 'data/containers')).filter((name) => ID.test(name));
  } catch {
    return []; // it never started
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Whether a process has ended and only its parent has not collected it. */
function isZombie(pid: number): boolean {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat === '' || stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
}

/** Deepest first. */
function mountsBelow(folder: string): string[] {
  const paths = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
  return paths.filter((path) => path.startsWith(`${folder}/`)).toSorted((a, b) => b.length - a.length);
}

function removeGroups(id: string): void {
  for (const hierarchy of ['', ...readdirSync('/sys/fs/cgroup')]) {
    try {
      rmdirSync(join('/sys/fs/cgroup', hierarchy, 'docker', id));
    } catch {
      // not in this hierarchy
    }
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // the process has ended
  }
}
