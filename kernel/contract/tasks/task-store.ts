import type { Host } from '../../../kernel/contract/plugin.ts';
import { isRunning, PROCESS_ID } from '../../../kernel/kit/programs/process-id.ts';
import { fail } from '../errors.ts';
import type { Tally } from '../jobs/tally.ts';
import type { FileTask } from './schema.ts';

type Counted = Pick<Tally, 'files' | 'bytes' | 'leftOut'>;
type Ending = { readonly state: 'done' | 'canceled' } | { readonly state: 'failed'; error: string; detail: string };
interface Row extends Omit<FileTask, 'created_at' | 'ended_at'> {
  readonly process: string;
  readonly created_at: number;
  readonly ended_at: number | null;
}

const COLUMNS = 'id, kind, path, process, state, files, size_bytes, left_out, error, detail, created_at, ended_at';
/** Tasks that an account may have begun and that have not ended. */
const OPEN = 10;
const LISTED = 50;
const KEPT_MS = 7 * 24 * 3_600_000;
const RETRY_SECONDS = 10;

/** The tasks of this node's accounts. A row is open until it gets its end, once. */
export class TaskStore {
  readonly #local: Host['local'];

  constructor(local: Host['local']) {
    this.#local = local;
  }

  /** Adds a task of this process. Errors: 503 `overloaded`. */
  add(account: number, id: string, kind: FileTask['kind'], path: string): Promise<void> {
    return this.#local.write(async (tx) => {
      const now = Date.now();
      await tx.run('delete from file_tasks where account_id = ? and ended_at < ?', account, now - KEPT_MS);
      const open = await tx.all<Row>(
        `select ${COLUMNS} from file_tasks where account_id = ? and state = 'running'`,
        account,
      );
      if (open.filter(({ process }) => isRunning(process)).length >= OPEN)
        throw fail.overloaded(`${OPEN} tasks of this account have not ended`, { retryAfterSeconds: RETRY_SECONDS });
      await tx.run(
        "insert into file_tasks (id, account_id, kind, path, process, state, created_at) values (?, ?, ?, ?, ?, 'running', ?)",
        ...[id, account, kind, path, PROCESS_ID, now],
      );
    });
  }

  async list(account: number): Promise<FileTask[]> {
    const rows = await this.#local.all<Row>(
      `select ${COLUMNS} from file_tasks where account_id = ? order by created_at desc, id limit ${LISTED}`,
      account,
    );
    return rows.map(toTask);
  }

  /** Errors: 404 `task_not_found`. */
  async get(account: number, id: string): Promise<FileTask> {
    const row = await this.#local.get<Row>(
      `select ${COLUMNS} from file_tasks where account_id = ? and id = ?`,
      account,
      id,
    );
    if (row === undefined) throw fail.task_not_found('the account has no task of this id');
    return toTask(row);
  }

  /** Records how far a task is. Resolves with whether it is open. */
  async progress(id: string, { files, bytes, leftOut }: Counted): Promise<boolean> {
    const sql = "update file_tasks set files = ?, size_bytes = ?, left_out = ? where id = ? and state = 'running'";
    return (await this.#local.write((tx) => tx.run(sql, files, bytes, leftOut, id))).changes === 1;
  }

  /** Ends a task, unless it has ended; one that was done before it could be canceled is done. */
  async end(id: string, ending: Ending): Promise<void> {
    const [error, detail] = ending.state === 'failed' ? [ending.error, ending.detail] : [null, null];
    const sql =
      'update file_tasks set state = ?, error = ?, detail = ?, ended_at = ? where id = ? and (state = ? or state = ?)';
    const before = ['running', ending.state === 'done' ? 'canceled' : 'running'];
    await this.#local.write((tx) => tx.run(sql, ending.state, error, detail, Date.now(), id, ...before));
  }
}

/** Returns a task as clients see it: one whose process is gone has failed. */
function toTask({ process, created_at, ended_at, ...row }: Row): FileTask {
  const at = (ms: number) => new Date(ms).toISOString();
  const task = { ...row, created_at: at(created_at), ended_at: ended_at === null ? null : at(ended_at) };
  if (row.state !== 'running' || isRunning(process)) return task;
  return { ...task, state: 'failed', error: 'task_interrupted', detail: 'the server stopped meanwhile' };
}
