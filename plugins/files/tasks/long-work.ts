import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { clientPath, pathComponents } from '../../../kernel/kit/files/client-path.ts';
import type { Job } from '../../../kernel/kit/jobs/job.ts';
import { fail } from '../errors.ts';
import { freeBytes } from '../room.ts';
import type { FilesConfig } from '../schema.ts';
import type { FileTask } from './schema.ts';
import { Tasks, type Counted, type TaskInput } from './tasks.ts';

const MIB = 1 << 20;

/** Begins tasks within the bounds of the settings and of the account's plan. */
export class LongWork {
  readonly tasks: Tasks;
  readonly #host: Pick<Host<FilesConfig>, 'config' | 'gather' | 'node'>;

  constructor(host: Pick<Host<FilesConfig>, 'config' | 'gather' | 'node' | 'jobs' | 'log' | 'local'>) {
    this.#host = host;
    this.tasks = new Tasks(host, host.config);
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
  ): Promise<FileTask> {
    const { config, gather, node } = this.#host;
    const path = clientPath(pathComponents(to, node.config.virtual_root), node.config.virtual_root);
    const free = (await freeBytes({ gather }, account)) ?? null;
    const limits = { names: config.task_names, bytes: config.task_mib * MIB, freeBytes: free };
    return this.tasks.begin(account, { kind, path, limits }, job, input);
  }
}
