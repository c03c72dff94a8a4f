import { HttpError } from '../../kernel/errors.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { isSqlError, userText } from '../../kernel/kit/databases/mysql-text.ts';
import { PROCESS_ID } from '../../kernel/kit/programs/process-id.ts';
import type { Tx } from '../../kernel/store/store.ts';
import type { Owner } from './account-servers.ts';
import { fail } from './errors.ts';
import type { MaintenanceAction } from '../../kernel/kit/databases/table-maintenance.ts';
import { forgetDropped } from './writing/withheld.ts';
import type { TemporaryUse } from './users/temporary-users.ts';

/** A change that the server and the store have to agree on. */
export interface Change {
  readonly kind: 'database' | 'user' | 'password' | 'access' | TemporaryUse;
  /** Of the database, or of the user. */
  readonly name: string;
  /** Empty for a database; of the user of an import, a query or maintenance. */
  readonly host: string;
  /** A password or a right is created, too. */
  readonly change: 'create' | 'drop';
  readonly about?: About;
  /** Of the client who asked for it. */
  readonly ip: string;
}
interface About {
  /** Of rights: where they are, and all that the user is to have there. */
  readonly database?: string;
  readonly privileges?: readonly string[];
  /** Of a password: the one before; see `readPasswordDigest`. */
  readonly before?: string;
  /** Of maintenance. */
  readonly action?: MaintenanceAction;
  /** Of a user that is made: its name was free, so that whoever has it now was made by this change. */
  readonly isChecked?: true;
}

export interface ClaimedChange extends Change {
  readonly id: number;
  readonly account_id: number;
  /** The process that makes it; empty once it has given up, because the server did not say how it ended. */
  readonly claimed_by: string;
}

type Parts = Pick<Host, 'store' | 'events'>;
const COLUMNS = 'id, account_id, kind, name, host, change, about, ip, claimed_by';

/**
 * Changes in progress, each a row of the store from before the server is asked until the event is recorded. What a process that
 * died was about is found there, and ended by `recover.ts`.
 */
export class Changes {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Errors: 409 `request_in_progress` if there is a change of the same thing. */
  claim({ id }: Pick<Owner, 'id'>, { kind, name, host, change, about = {}, ip }: Change): Promise<ClaimedChange> {
    return this.#parts.store.write(async (tx) => {
      const key = [id, kind, name, host] as const;
      const sql = 'select 1 from mysql_changes where account_id = ? and kind = ? and name = ? and host = ?';
      if ((await tx.get(sql, ...key)) !== undefined)
        throw fail.request_in_progress(`${name} is being changed`, { retryAfterSeconds: 1 });
      const row = { account_id: id, kind, name, host, change, about, ip, claimed_by: PROCESS_ID };
      const claimed = await tx.insert(
        `insert into mysql_changes (account_id, kind, name, host, change, about, ip, claimed_by) values (?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[id, kind, name, host, change, JSON.stringify(about), ip, PROCESS_ID],
      );
      return { id: claimed, ...row };
    });
  }

  /** Keeps that a change was checked, before the server is asked to make it. */
  async keepChecked({ id, about = {} }: ClaimedChange): Promise<void> {
    const checked: About = { ...about, isChecked: true };
    await this.#parts.store.write((tx) =>
      tx.run('update mysql_changes set about = ? where id = ?', JSON.stringify(checked), id),
    );
  }

  /**
   * Resolves with what is being made that was claimed before; what was completed meanwhile the server shows to those who ask it
   * afterwards. So of two that want the last place, at most one gets it, and one does.
   */
  earlier({ id, account_id, kind }: ClaimedChange): Promise<{ name: string; host: string }[]> {
    return this.#parts.store.all(
      "select name, host from mysql_changes where account_id = ? and kind = ? and change = 'create' and id < ?",
      ...[account_id, kind, id],
    );
  }

  /** Resolves with the names of the account's databases that are being made. */
  async making({ id }: Owner): Promise<string[]> {
    const rows = await this.#parts.store.all<{ name: string }>(
      "select name from mysql_changes where account_id = ? and kind = 'database' and change = 'create'",
      id,
    );
    return rows.map(({ name }) => name);
  }

  /**
   * Records that it is done; of an import or maintenance, whether as a whole. Resolves with `false` if its account was removed meanwhile, and
   * then nothing is recorded.
   */
  complete(account: Owner, claimed: ClaimedChange, isWhole = true): Promise<boolean> {
    return this.#parts.store.write(async (tx) => {
      const isThere = await remove(tx, claimed);
      if (isThere && claimed.change === 'drop') await forgetDropped(tx, claimed);
      if (isThere) await this.#parts.events.record(tx, { account, ip: claimed.ip, ...eventFor(claimed, isWhole) });
      return isThere;
    });
  }

  /** Ends the work of a user that was made for it: of what is only read, no event is recorded. */
  async end(account: Owner, claimed: ClaimedChange, isWhole: boolean): Promise<void> {
    await (claimed.kind === 'query' ? this.cancel(claimed) : this.complete(account, claimed, isWhole));
  }

  /** Takes it back: nothing was changed. */
  async cancel(claimed: ClaimedChange): Promise<void> {
    await this.#parts.store.write((tx) => remove(tx, claimed));
  }

  /** Leaves it to be recovered. */
  async abandon({ id }: ClaimedChange): Promise<void> {
    await this.#parts.store.write((tx) => tx.run("update mysql_changes set claimed_by = '' where id = ?", id));
  }

  /** Runs a part of a change; if it fails, the change is left to be recovered. */
  async orAbandon<T>(claimed: ClaimedChange, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.abandon(claimed);
      throw error;
    }
  }

  async all(): Promise<ClaimedChange[]> {
    const rows = await this.#parts.store.all<Omit<ClaimedChange, 'about'> & { about: string }>(
      `select ${COLUMNS} from mysql_changes order by id`,
    );
    return rows.map((row) => ({ ...row, about: JSON.parse(row.about) as About }));
  }
}

async function remove(tx: Tx, { id }: ClaimedChange): Promise<boolean> {
  return (await tx.run('delete from mysql_changes where id = ?', id)).changes === 1;
}

const MAINTAINED = { optimize: 'optimized', check: 'checked', repair: 'repaired' } as const;

/** Returns the event of a change that is done. */
function eventFor({ kind, name, host, change, about = {} }: Change, isWhole: boolean) {
  const past = change === 'create' ? 'created' : 'dropped';
  const { database = name, privileges = [], action = 'check' } = about;
  const [data, work] = [
    { user: name, host },
    { database, is_whole: isWhole },
  ];
  const [user, where] = [`the database user ${userText({ name, host })}`, `the database ${name}`];
  switch (kind) {
    case 'database':
      return event(`database.${past}`, `${past} ${where}`, { database });
    case 'import':
      return event('database.imported', `imported ${isWhole ? 'a' : 'a part of a'} dump into ${where}`, work);
    case 'maintenance': {
      const done = MAINTAINED[action];
      return event(`database.${done}`, `${done} ${isWhole ? '' : 'a part of '}the tables of ${where}`, work);
    }
    case 'query':
      throw new Error('no event is recorded of what is only read');
    case 'user':
      return event(`database_user.${past}`, `${past} ${user}`, data);
    case 'password':
      return event('database_user.password_changed', `gave ${user} a new password`, data);
    case 'access':
      return change === 'create'
        ? event('database_user.access_granted', `gave ${user} rights on ${database}: ${privileges.join(', ')}`, {
            ...data,
            database,
          })
        : event('database_user.access_revoked', `took the rights on ${database} from ${user}`, { ...data, database });
  }
}

const event = <const T extends string, D>(type: T, text: string, data: D) => ({ type, text, data });

type Earlier = readonly { readonly name: string; readonly host: string }[];
interface Steps {
  /** Rejects with what is in the way of making a user. `earlier`: see `Changes.earlier`. */
  readonly check?: (earlier: Earlier) => Promise<unknown>;
  readonly make: (earlier: Earlier) => Promise<unknown>;
  /** Takes back what was made for an account that was removed meanwhile. */
  readonly undo?: () => Promise<unknown>;
}

/**
 * Makes a change at the server, and records it. Rejects with errors of `make`; where the server did not answer, the change is
 * left to be recovered.
 */
export async function makeChange(
  changes: Changes,
  account: Owner,
  change: Change,
  { check, make, undo }: Steps,
): Promise<void> {
  const claimed = await changes.claim(account, change);
  try {
    const earlier = await changes.earlier(claimed);
    if (check !== undefined) {
      await check(earlier);
      await changes.keepChecked(claimed);
    }
    await make(earlier);
  } catch (error) {
    if (error instanceof HttpError || isSqlError(error)) await changes.cancel(claimed);
    else await changes.abandon(claimed);
    throw error;
  }
  if (await changes.complete(account, claimed)) return;
  await undo?.();
  throw fail.account_not_found('the account was removed meanwhile');
}
