import type { Host } from '../../../kernel/contract/plugin.ts';
import { discardWork } from '../../../kernel/areas/tasks/discarded-work.ts';
import { withBeatFirst } from '../../../kernel/areas/tasks/with-beat.ts';
import {
  AccountTasks,
  type AccountTask,
  type Counted,
  type TaskRun,
} from '../../../kernel/areas/tasks/account-tasks.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { clientPath, pathComponents } from '../../../kernel/kit/files/client-path.ts';
import type { JobPool } from '../../../kernel/kit/jobs/job-pool.ts';
import type { Job } from '../../../kernel/kit/jobs/job.ts';
import { fail } from '../errors.ts';
import type { TallyLimits } from '../jobs/tally.ts';
import { freeRoom } from '../../../kernel/areas/files/free-room.ts';
import type { FilesConfig } from '../schema.ts';
import type { FileTask } from './schema.ts';

type WorkHost = Pick<Host<FilesConfig>, 'config' | 'peer' | 'node' | 'jobs' | 'log' | 'local'>;
/** The input of each task's job: the name of its work, and its bounds. */
interface TaskInput {
  readonly work: string;
  readonly limits: TallyLimits;
}

/** Work of this process before that of the job: resolves with what it made, and what people are told of it. */
type Before = (run: TaskRun) => Promise<{ readonly files: number; readonly detail?: string | undefined }>;

const MIB = 1 << 20;
const IDLE_MS = 5000;
/** The largest file that a task may write. */
const FILE_MIB = 16_384;

/** Runs tasks within the bounds of the settings and of the account's plan, one of an account at a time. */
export class LongWork {
  readonly tasks: AccountTasks<FileTask['kind']>;
  readonly #host: WorkHost;
  readonly #pool: JobPool;

  constructor(host: WorkHost) {
    this.#host = host;
    const { tasks, task_stall_seconds: stall } = host.config;
    this.tasks = new AccountTasks(host, { table: 'file_tasks', errors: fail, stallMs: stall * 1000 });
    this.#pool = host.jobs.open({
      ...{ name: 'file tasks', processes: tasks, idleMs: IDLE_MS },
      limits: { fileMib: FILE_MIB },
    });
  }

  /** Returns the components of a path. Errors: 400 `invalid_path`, also for the root, which stays what it is. */
  readonly belowRoot = (path: string): string[] => {
    const parts = pathComponents(path, this.#host.node.config.virtual_root);
    if (parts.length === 0) throw fail.invalid_path('the root of the account stays what it is');
    return parts;
  };

  /** Begins a task whose result is to be at `to`. Errors: 400 `invalid_path`, 503 `overloaded`. */
  async begin<I>(
    account: Account,
    kind: FileTask['kind'],
    to: string,
    job: Job<I & TaskInput, Counted>,
    input: I,
    before: Before = async () => ({ files: 0 }),
  ): Promise<AccountTask> {
    const { config, node } = this.#host;
    const path = clientPath(pathComponents(to, node.config.virtual_root), node.config.virtual_root);
    const free = await freeRoom(this.#host, account);
    const limits = { names: config.task_names, bytes: config.task_mib * MIB, free };
    return this.tasks.begin(account, { kind, path }, async (run) => {
      const owner = this.#host.jobs.ownerOf(account);
      try {
        const { files, detail } = await before(run);
        const given = { ...input, work: run.id, limits: { ...limits, files } };
        const work = (told: TaskRun) => this.#pool.run(job, owner, given, told);
        return { ...(await withBeatFirst(run, { files, bytes: 0, leftOut: 0 }, work)), detail };
      } catch (error) {
        await discardWork(this.#host, account, run.id);
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    await this.tasks.close();
    await this.#pool.close();
  }
}
