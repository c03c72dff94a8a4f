import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { fail, errorMessage } from '../../kernel/errors.ts';
import type { AccountJobs } from '../../kernel/kit/jobs/account-jobs.ts';
import type { JobMessage } from './launcher.ts';
import type { JobChannel } from '../../kernel/kit/jobs/job-channel.ts';
import { jobEnd, startJobProcess, type JobLimits } from '../../kernel/kit/jobs/job-launch.ts';
import type { AccountFolder, Identified, JobStart } from '../../kernel/kit/jobs/job.ts';
import { readProcessorTime } from '../../kernel/kit/programs/processor-time.ts';
import { operatorsRoot } from '../../kernel/kit/files/files-root.ts';
import type { ControlGroups } from '../../kernel/kit/programs/control-groups.ts';
import type { Log } from '../../kernel/log.ts';
import { killProgram, type ChildProcess } from '../../kernel/kit/programs/start-program.ts';
import { readAccount, readBoolean, readInteger, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';

type SystemLimits = Omit<JobLimits, 'replyMib'>;
/** Resolves with the path of a folder of an account beside its files. */
export type PathTo = (account: Identified, folder: AccountFolder) => Promise<string>;
interface PreparedJob {
  readonly token: string;
  onClose(): void;
  onMessage(): void;
}
interface Prepared {
  readonly start: JobStart;
  readonly limits: SystemLimits;
  readonly accountId: number;
}

/** How long a caller has to come with the token. */
const TOKEN_MS = 5000;
const LARGEST: SystemLimits = { memoryMib: 16_384, openFiles: 65_536, fileMib: 16_384 };

/**
 * Processes of jobs that the broker started. A caller holds one connection for each, with whose end the process is
 * killed. What the process and the caller have to say to each other goes over a second connection, which the caller opens
 * with a token for one use, and which the broker hands to the process unread.
 */
export class StartedJobs {
  readonly #jobs: AccountJobs;
  readonly #groups: ControlGroups;
  readonly #log: Log;
  readonly #awaited = new Map<string, (connection: Duplex) => void>();
  readonly #running = new Set<ChildProcess>();

  constructor(jobs: AccountJobs, groups: ControlGroups, log: Log) {
    this.#jobs = jobs;
    this.#groups = groups;
    this.#log = log;
  }

  /** Prepares a process of an account, and resolves with the token to start it with. `control` is the caller's connection. */
  async prepare(args: unknown, control: JobChannel, pathTo: PathTo): Promise<PreparedJob> {
    const given = readMembers(args, ['account', 'state', 'folder', 'makesRoot', 'limits']);
    const account = readAccount(given.account);
    const folder = given.folder === null ? undefined : readFolder(given.folder);
    const owner = {
      ...this.#jobs.ownerOf(account, { makesRoot: readBoolean(given.makesRoot) }),
      ...(given.state !== null && { state: readText(given.state, /^[a-z]{1,32}$/) }),
      ...(folder !== undefined && { folder, root: operatorsRoot(await pathTo(account, folder)) }),
    };
    const start = this.#jobs.startOf(owner, { isRequired: true });
    const system = limitsOf(given.limits);
    const token = randomBytes(16).toString('hex');
    let child: ChildProcess | undefined;
    const timer = setTimeout(() => control.end(), TOKEN_MS);
    this.#awaited.set(token, (connection) => {
      clearTimeout(timer);
      child = this.#start({ start, limits: system, accountId: account.id }, connection, control);
    });
    return {
      token,
      onMessage: () => send(control, { processorTime: readProcessorTime(child?.pid) }),
      onClose: () => {
        clearTimeout(timer);
        this.#awaited.delete(token);
        if (child !== undefined && this.#running.has(child)) killProgram(child, { isGroup: true });
      },
    };
  }

  /** Starts the process that a token stands for. */
  attach(connection: Duplex, token: unknown): void {
    const start = typeof token === 'string' ? this.#awaited.get(token) : undefined;
    if (start === undefined) {
      connection.destroy();
      throw fail.invalid_request('there is no such token');
    }
    this.#awaited.delete(token as string);
    start(connection);
  }

  killAll(): void {
    for (const child of this.#running) killProgram(child, { isGroup: true });
  }

  #start({ start, limits, accountId }: Prepared, connection: Duplex, control: JobChannel): ChildProcess | undefined {
    try {
      const child = startJobProcess(start, limits, { connection, group: this.#groups.ofAccount(accountId) });
      this.#running.add(child);
      void jobEnd(child).then((ended) => {
        this.#running.delete(child);
        send(control, { ended });
        control.end();
      });
      return child;
    } catch (error) {
      this.#log.error({ err: error }, 'a process could not be started');
      send(control, { ended: { text: errorMessage(error), isKilled: true } });
      return undefined;
    } finally {
      connection.destroy(); // the process has its own descriptor; what comes now must not be read here
      send(control, { isAttached: true });
    }
  }
}

function readFolder(given: unknown): AccountFolder {
  const { plugin, name } = readMembers(given, ['plugin', 'name']);
  return { plugin: readText(plugin, /^[a-z][a-z0-9-]{0,63}$/), name: readText(name, /^[a-z][a-z0-9-]{0,63}$/) };
}

function limitsOf(given: unknown): SystemLimits {
  const names = ['memoryMib', 'openFiles', 'fileMib'] as const;
  const limits = readMembers(given, names);
  const of = (name: (typeof names)[number]) => readInteger(limits[name], 1, LARGEST[name]);
  return { memoryMib: of('memoryMib'), openFiles: of('openFiles'), fileMib: of('fileMib') };
}

function send(control: JobChannel, message: JobMessage): void {
  control.send(message);
}
