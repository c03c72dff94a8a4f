import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { masterPid, type Master, type NamedProgram, type ProgramFolder } from '../program-folder.ts';
import { ownProcessId } from '../start-program.ts';

/** A pool as the system shows its processes. */
export interface SeenPool extends NamedProgram {
  /** See `Master.id`; `undefined` while it is asleep. */
  readonly master: string | undefined;
  /** The process of that master which has the others. */
  readonly pid: number;
  /** Processes for requests. */
  readonly workers: number;
  readonly memoryBytes: number;
  readonly runningSeconds: number;
  /** Another one once such a process has run, has begun or has ended. */
  readonly mark: string;
}

interface SeenProcess {
  readonly pid: number;
  readonly anonymous: number;
  readonly files: number;
  readonly shared: number;
  /** How often it has waited for something: between two requests, it does. */
  readonly waits: number;
}

const ASLEEP = { master: undefined, pid: 0, workers: 0, memoryBytes: 0, runningSeconds: 0, mark: '' };
const TICKS_PER_SECOND = 100;
const KIB = 1024;
/** Of /proc/<pid>/status, which all may read. */
const LINES = {
  anonymous: /^RssAnon:\s+(\d+)/m,
  files: /^RssFile:\s+(\d+)/m,
  shared: /^RssShmem:\s+(\d+)/m,
  waits: /^voluntary_ctxt_switches:\s+(\d+)/m,
};

/** Resolves with what is seen of a pool, without asking it; `undefined` if it has ended. */
export async function lookAt(folder: ProgramFolder, { accountId, name }: NamedProgram): Promise<SeenPool | undefined> {
  if (await folder.isAsleep(accountId, name)) return { accountId, name, ...ASLEEP };
  const master = await folder.master(accountId, name);
  if (master === undefined || master.isEnding) return undefined;
  const pid = ownProcessId(masterPid(master));
  if (pid === undefined) return undefined;
  const workers = workersIn(pid);
  const own = readProcess(pid);
  return {
    ...{ accountId, name, master: master.id, pid },
    workers: workers.length,
    memoryBytes: memoryIn(own === undefined ? workers : [own, ...workers]),
    runningSeconds: Math.max(0, Math.round(uptime() - Number(master.id.split(':')[1]) / TICKS_PER_SECOND)),
    mark: markOf(workers),
  };
}

/** Returns how many processes for requests a master has. */
export function countWorkers(master: Master): number {
  const pid = ownProcessId(masterPid(master));
  return pid === undefined ? 0 : childrenIn(pid).length;
}

/** Returns the mark that a pool has now. */
export const markNow = ({ pid }: SeenPool): string => markOf(workersIn(pid));

const markOf = (workers: readonly SeenProcess[]): string =>
  workers.map(({ pid, waits }) => `${pid}:${waits}`).join(' ');

const workersIn = (pid: number): SeenProcess[] => childrenIn(pid).flatMap((child) => readProcess(child) ?? []);

/**
 * Adds up what processes have for themselves, and once what they share: programs, and the cache of compiled scripts. Who shares which
 * page, the system says of a process of another user with CAP_SYS_PTRACE only.
 */
function memoryIn(processes: readonly SeenProcess[]): number {
  const most = (of: keyof SeenProcess) => Math.max(0, ...processes.map((each) => each[of]));
  return processes.reduce((sum, { anonymous }) => sum + anonymous, most('files') + most('shared'));
}

function childrenIn(pid: number): number[] {
  const text = read(`/proc/${pid}/task/${pid}/children`) ?? '';
  return text.split(' ').flatMap((each) => (each === '' ? [] : [Number(each)]));
}

function readProcess(pid: number): SeenProcess | undefined {
  const status = read(`/proc/${pid}/status`);
  if (status === undefined) return undefined;
  const value = (line: RegExp) => Number(line.exec(status)?.[1] ?? 0);
  return {
    pid,
    anonymous: value(LINES.anonymous) * KIB,
    files: value(LINES.files) * KIB,
    shared: value(LINES.shared) * KIB,
    waits: value(LINES.waits),
  };
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined; // it has ended
  }
}
