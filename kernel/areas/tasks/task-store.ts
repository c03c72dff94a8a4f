import { fail, type HttpError } from '../../errors.ts';
import { isRunning, PROCESS_ID } from '../../kit/programs/process-id.ts';
import type { Reader, Store } from '../../store/store.ts';

/** Long work of an account, as clients see it. */
export interface AccountTask<K extends string = string> {
  readonly id: string;
  readonly kind: K;
  /** The path that it is about, as clients see it. */
  readonly path: string;
  readonly state: 'running' | 'done' | 'failed' | 'canceled';
  readonly files: number;
  readonly size_bytes: number;
  readonly left_out: number;
  readonly error: string | null;
  readonly detail: string | null;
  /** RFC 3339, as the other one. */
  readonly created_at: string;
  readonly ended_at: string | null;
}
/** How far a task is. */
export interface Counted {
  readonly files: number;
  readonly bytes: number;
  readonly leftOut: number;
}
/** The outcome of a task that is done. */
export interface Ended extends Counted {
  /** Tells people what was left out. */
  readonly detail?: string | undefined;
}
/** The table of the plugin's tasks, in its local migrations, with the columns below; and its own errors. */
export interface TaskTable {
  readonly table: string;
  readonly errors: {
    task_not_found(detail: string): HttpError;
    task_interrupted(detail: string): HttpError;
  };
}
type Ending =
  | { readonly state: 'canceled' }
  | ({ readonly state: 'done' } & Pick<Ended, 'detail'>)
  | { readonly state: 'failed'; error: string; detail: string };
interface Row<K extends string> extends Omit<AccountTask<K>, 'created_at' | 'ended_at'> {
  readonly process: string;
  readonly created_at: number;
  readonly ended_at: number | null;
}

const COLUMNS = 'id, kind, path, process, state, files, size_bytes, left_out, error, detail, created_at, ended_at';
/** Tasks that an account may have begun and that have not ended. */
const OPEN = 10;
const LISTED = 50;
/** How long tasks are known that have ended. */
export const KEPT_MS = 7 * 24 * 3_600_000;
const RETRY_SECONDS = 10;

/** The tasks of this node's accounts. A row is open until it gets its end, once. */
export class TaskStore<K extends string> {
  readonly #local: Store;
  readonly #table: string;
  readonly #errors: TaskTable['errors'];

  constructor(local: Store, { table, errors }: TaskTable) {
    this.#local = local;
    this.#table = table;
    this.#errors = errors;
  }

  /** Adds a task of this process. Errors: 503 `overloaded`. */
  add(account: number, { id, kind, path }: Pick<AccountTask<K>, 'id' | 'kind' | 'path'>): Promise<void> {
    return this.#local.write(async (tx) => {
      const now = Date.now();
      await tx.run(`delete from ${this.#table} where account_id = ? and ended_at < ?`, account, now - KEPT_MS);
      if ((await this.#open(tx, account)) >= OPEN)
        throw fail.overloaded(`${OPEN} tasks of this account have not ended`, { retryAfterSeconds: RETRY_SECONDS });
      await tx.run(
        `insert into ${this.#table} (id, account_id, kind, path, process, state, created_at)
          values (?, ?, ?, ?, ?, 'running', ?)`,
        ...[id, account, kind, path, PROCESS_ID, now],
      );
    });
  }

  async list(account: number): Promise<AccountTask<K>[]> {
    const rows = await this.#local.all<Row<K>>(
      `select ${COLUMNS} from ${this.#table} where account_id = ? order by created_at desc, id limit ${LISTED}`,
      account,
    );
    return rows.map((row) => this.#toTask(row));
  }

  /** Errors: 404 `task_not_found`. */
  async get(account: number, id: string): Promise<AccountTask<K>> {
    const row = await this.#local.get<Row<K>>(
      `select ${COLUMNS} from ${this.#table} where account_id = ? and id = ?`,
      account,
      id,
    );
    if (row === undefined) throw this.#errors.task_not_found('the account has no task of this id');
    return this.#toTask(row);
  }

  /** Records how far a task is. Resolves with whether it is open. */
  async progress(id: string, { files, bytes, leftOut }: Counted): Promise<boolean> {
    const sql = `update ${this.#table} set files = ?, size_bytes = ?, left_out = ? where id = ? and state = 'running'`;
    return (await this.#local.write((tx) => tx.run(sql, files, bytes, leftOut, id))).changes === 1;
  }

  /** Ends a task, unless it has ended; one that was done before it could be canceled is done. */
  async end(id: string, ending: Ending): Promise<void> {
    const { error = null, detail = null } = ending as { readonly error?: string; readonly detail?: string };
    const sql = `update ${this.#table} set state = ?, error = ?, detail = ?, ended_at = ?
      where id = ? and (state = ? or state = ?)`;
    const before = ['running', ending.state === 'done' ? 'canceled' : 'running'];
    await this.#local.write((tx) => tx.run(sql, ending.state, error, detail, Date.now(), id, ...before));
  }

  /** Ends the tasks of processes that are gone, so that each row has an end. */
  async endInterrupted(): Promise<void> {
    const { code, message } = this.#interrupted();
    await this.#local.write(async (tx) => {
      const open = `select distinct process from ${this.#table} where state = 'running'`;
      for (const { process } of await tx.all<{ process: string }>(open))
        if (!isRunning(process))
          await tx.run(
            `update ${this.#table} set state = 'failed', error = ?, detail = ?, ended_at = ?
              where state = 'running' and process = ?`,
            ...[code, message, Date.now(), process],
          );
    });
  }

  #interrupted(): HttpError {
    return this.#errors.task_interrupted('the server stopped meanwhile');
  }

  async #open(reader: Reader, account: number): Promise<number> {
    const sql = `select process from ${this.#table} where account_id = ? and state = 'running'`;
    return (await reader.all<{ process: string }>(sql, account)).filter(({ process }) => isRunning(process)).length;
  }

  /** Returns a task as clients see it: one whose process is gone has failed. */
  #toTask({ process, created_at, ended_at, ...row }: Row<K>): AccountTask<K> {
    const at = (ms: number) => new Date(ms).toISOString();
    const task = { ...row, created_at: at(created_at), ended_at: ended_at === null ? null : at(ended_at) };
    if (row.state !== 'running' || isRunning(process)) return task;
    const { code, message } = this.#interrupted();
    return { ...task, state: 'failed', error: code, detail: message };
  }
}
