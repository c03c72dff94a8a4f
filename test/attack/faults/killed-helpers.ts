import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PASSWORD } from '../../support/hostkeep.ts';
import { NodeProcess, prepare } from '../../support/node-process.ts';
import type { Random } from '../../support/random.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';

const INSIDE = new URL('../../support/inside-node.js', import.meta.url).href;
const DOMAINS = 20;
/** The kill happens up to so long after the child process has started. */
const KILL_WITHIN_MS = 30;
/** A `du` that waits while the file beside it is there, and so is running when it is to be killed. */
const HELD_DU = '#!/bin/sh\nwhile [ -e "$0.held" ]; do sleep 0.1; done\nexec du "$@"\n';

/**
 * In each round, ends the node's worker threads and kills its child processes, at least one running `du`, in the middle
 * of requests. Rejects unless those requests succeed or return 5xx and all later ones succeed.
 */
export async function killHelpers(rounds: number, random: Random): Promise<string> {
  const folder = temporaryFolder();
  const [data, du] = [join(folder, 'data'), join(folder, 'held-du')];
  writeFileSync(du, HELD_DU);
  chmodSync(du, 0o755);
  chmodSync(folder, 0o755); // accounts' processes run it
  await prepare(data, { demo: 'user' });
  const node = await NodeProcess.start(data, { inside: INSIDE, config: { quota: { du } } });
  try {
    const token = await node.login('demo');
    for (let i = 0; i < DOMAINS; i += 1)
      await node.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: `d${i}.example` } });
    const sendAll = () =>
      Promise.all([
        node.ask('/api/login', { method: 'POST', body: { username: 'demo', password: PASSWORD } }),
        node.ask('/api/search/files?q=index', { token }),
        node.ask('/api/directory-size?folder=/var/www/html', { token }),
        node.ask('/api/auto-installer', { token }),
        node.ask('/api/disk_inodes', { token }),
      ]);
    let [threads, processes, failed] = [0, 0, 0];
    for (let round = 0; round < rounds; round += 1) {
      writeFileSync(`${du}.held`, '');
      const replies = sendAll();
      const killed = await killAll(node, du, random);
      rmSync(`${du}.held`);
      threads += killed.threads;
      processes += killed.processes;
      const statuses = (await replies).map(({ status }) => status);
      if (statuses.some((status) => status !== 200 && status < 500))
        throw new Error(`while its helpers were killed the node returned ${statuses.join()}`);
      failed += statuses.filter((status) => status >= 500).length;
      const after = (await sendAll()).filter(({ status }) => status !== 200);
      if (after.length > 0) throw new Error(`after its helpers were killed the node returned ${JSON.stringify(after)}`);
    }
    const counts = `${threads} threads and ${processes} child processes in ${rounds} rounds`;
    return `killed helpers: ${counts}; ${failed} requests failed with them, every later request succeeded`;
  } finally {
    await node.end('SIGKILL');
  }
}

/** Waits for a process that runs `du`, then ends all threads and kills all child processes. Rejects if it killed none. */
async function killAll(node: NodeProcess, du: string, random: Random): Promise<{ threads: number; processes: number }> {
  await until('the node runs du', () => descendants(node.pid).some((pid) => commandOf(pid).includes(du)));
  await delay(random.next() * KILL_WITHIN_MS);
  const processes = descendants(node.pid).reduce((sum, pid) => sum + kill(pid), 0);
  if (processes === 0) throw new Error('no child process was running when the helpers were killed');
  return { processes, threads: Number(await node.tell({ endThreads: true })) };
}

/** Returns the ids of all processes that a process started, directly or not. */
function descendants(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    try {
      return readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
        .split(' ')
        .filter((text) => text !== '')
        .map(Number);
    } catch {
      return []; // the thread has ended
    }
  });
  return children.flatMap((child) => [child, ...(existsProcess(child) ? descendants(child) : [])]);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // the process has ended
  }
}

function existsProcess(pid: number): boolean {
  return readdirSync('/proc').includes(String(pid));
}

function kill(pid: number): number {
  try {
    process.kill(pid, 'SIGKILL');
    return 1;
  } catch {
    return 0; // the process has ended
  }
}
