import { setTimeout as delay } from 'node:timers/promises';
import { HttpError, errorMessage } from '../../kernel/errors.ts';
import { escapeControl } from '../../kernel/log.ts';
import type { MovedAccount } from '../../kernel/contract/points/move-part.ts';
import type { DatabaseClient, DatabaseServers, OwnNames, ServerAccess } from '../../kernel/areas/database-servers.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { isSqlError } from '../../kernel/kit/databases/mysql-text.ts';
import type { ServerLogin } from '../../kernel/kit/databases/mariadb-programs.ts';
import { fail } from './errors.ts';

export interface DatabaseMoveParts {
  readonly servers: DatabaseServers;
  readonly local: Host['local'];
}

/** To compare, to load or to lock what is large takes long. */
const QUERY_MS = 3_600_000;
/** Of a statement that cleans up, or asks whether something is there. */
export const BRIEF_MS = 10_000;
/** How often a server that works is asked whether it is there, how long it may take to say so, and how often in a row it may not. */
const ASK_MS = 3000;
const ANSWER_MS = 5000;
const UNANSWERED = 2;
/** The first that has what a move needs: definers that others set, and users as they are kept since. */
const OLDEST: readonly number[] = [10, 5, 2];

type UserLogin = Pick<ServerLogin, 'user' | 'password'>;

/** A server at one end of a move. */
export class MoveServer {
  readonly name: string;
  readonly ownership: string;
  readonly #access: ServerAccess;
  readonly #signal: AbortSignal | undefined;

  /** An abort of `signal` ends what `with` runs. */
  constructor(access: ServerAccess, signal?: AbortSignal) {
    this.name = access.name;
    this.ownership = access.ownership;
    this.#access = access;
    this.#signal = signal;
  }

  /** Returns the server of an account; `undefined` for SQLite files. */
  static of({ servers }: DatabaseMoveParts, { username }: MovedAccount, signal?: AbortSignal): MoveServer | undefined {
    const access = servers.serverFor(username);
    return access && new MoveServer(access, signal);
  }

  /** Returns a server by its name in the settings; `undefined` if there is none. */
  static named({ servers }: DatabaseMoveParts, name: string): MoveServer | undefined {
    const access = servers.named(name);
    return access && new MoveServer(access);
  }

  /** Returns a client, which the caller closes. With one connection, that one is there for all its statements. */
  open(connections?: number, as?: UserLogin, queryMs = QUERY_MS): Promise<DatabaseClient> {
    return this.#access.open({ queryMs, connections, as });
  }

  login(): Promise<ServerLogin> {
    return this.#access.login();
  }

  /**
   * Runs `work` with a client whose statements may take long, and a signal that is aborted if nobody waits for it, or if the
   * server falls silent: one that is frozen closes no connection. What the server refuses is 409 `move_refused`, with its
   * words; without an answer, 503 `databases_unavailable`.
   */
  async with<T>(
    work: (client: DatabaseClient, signal: AbortSignal) => Promise<T>,
    connections?: number,
    as?: UserLogin,
  ): Promise<T> {
    const client = await this.open(connections, as);
    const beside = await this.open(1, undefined, ANSWER_MS);
    const [ended, silent] = [new AbortController(), new AbortController()];
    const watching = untilSilent(beside, ended.signal).then(() => silent.abort(unanswered()));
    const signal = this.#signal === undefined ? silent.signal : AbortSignal.any([this.#signal, silent.signal]);
    const close = () => void client.close();
    signal.addEventListener('abort', close, { once: true });
    try {
      signal.throwIfAborted();
      return await work(client, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw refusalOf(error);
    } finally {
      signal.removeEventListener('abort', close);
      ended.abort();
      await Promise.all([client.close(), beside.close(), watching]);
    }
  }

  /** Runs a statement or two that end what was begun, on a connection of their own, also after an abort. */
  async briefly(work: (client: DatabaseClient) => Promise<unknown>): Promise<void> {
    const client = await this.open(1, undefined, BRIEF_MS);
    try {
      await work(client);
    } finally {
      await client.close();
    }
  }

  ownNames(client: DatabaseClient, { username }: MovedAccount): Promise<OwnNames> {
    return this.#access.ownNames(client, username);
  }

  /** Resolves with the version as a number for each part. Errors: 409 `move_refused` unless it is one of MariaDB that can do it. */
  async version(client: DatabaseClient): Promise<readonly number[]> {
    const [row] = await client.query<{ version: string }>('select version() as version');
    const version = row?.version ?? '';
    const parts = (/^(?:5\.5\.5-)?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
    if (!/mariadb/i.test(version) || isBefore(parts, OLDEST))
      throw refused(
        `databases move between servers of MariaDB ${OLDEST.join('.')} or later, and ${this.name} is ${version}`,
      );
    return parts;
  }
}

/** Whether a version is before another one. */
export function isBefore(version: readonly number[], other: readonly number[]): boolean {
  const at = other.findIndex((part, i) => part !== version[i]);
  return at >= 0 && (version[at] ?? 0) < (other[at] ?? 0);
}

/** Returns 409 `move_refused`; names in `detail` may be customers'. */
export const refused = (detail: string, cause?: unknown): HttpError =>
  fail.move_refused(escapeControl(detail), { cause });

/** Resolves when the server has left questions in a row unanswered, or when `ended` is aborted. Never rejects. */
async function untilSilent(client: DatabaseClient, ended: AbortSignal): Promise<void> {
  for (let missed = 0; missed < UNANSWERED && !ended.aborted;) {
    await delay(ASK_MS, undefined, { signal: ended }).catch(() => undefined); // aborted: the loop ends
    // any answer counts, were it only that there is no connection to spare
    if (!ended.aborted) missed = (await client.query('select 1').then(() => true, isSqlError)) ? 0 : missed + 1;
  }
}

const unanswered = (): HttpError =>
  fail.databases_unavailable('the database server does not answer any more', { retryAfterSeconds: 30 });

/** Returns 409 `move_refused` for a refusal of the server, and 503 `databases_unavailable` for a lost connection. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof HttpError) return error;
  if (isSqlError(error)) return refused(`the database server refuses: ${error.message}`, error);
  if (!('code' in error)) return error;
  return fail.databases_unavailable(`the database server does not answer: ${errorMessage(error)}`, {
    cause: error,
  });
}
