import { HttpError } from '../errors.ts';
import type { AuditLog } from '../storage/audit-log.ts';
import { assertPlanExists, type Plan, type Plans } from './plans.ts';
import type { Revision } from '../storage/revision.ts';
import type { Reader, SqlValue, Store, Tx } from '../storage/store.ts';

export type Role = 'user' | 'admin';

/** An account as it was at one moment. It is never changed; a change replaces it. */
export interface Account {
  readonly id: number;
  readonly username: string;
  readonly role: Role;
  readonly email: string;
  readonly locale: string;
  readonly plan: Plan | undefined;
  /** The plan's features plus and minus the account's own; empty without a plan. */
  readonly features: ReadonlySet<string>;
  /** Feature by feature, what the account has other than its plan. */
  readonly overrides: Readonly<Record<string, boolean>>;
  /** Folder of the account's files on this host. */
  readonly filesRoot: string;
  readonly suspended: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

interface NewAccount {
  readonly username: string;
  readonly role: Role;
  readonly email?: string;
  readonly plan?: string;
  readonly passwordHash: string;
}

/**
 * Holds the newest snapshot of one account, so that whoever keeps the cell needs no look-up. `version` moves whenever
 * the account or its sessions change in this process.
 */
export interface AccountCell {
  readonly id: number;
  account: Account | undefined;
  generation: number;
  version: number;
}

interface Row {
  id: number;
  username: string;
  role: Role;
  email: string;
  locale: string;
  plan: string | null;
  suspended_at: number | null;
  created_at: number;
  overrides: string;
}

const SELECT = `select id, username, role, email, locale, plan, suspended_at, created_at, coalesce((select group_concat(iif(granted, '+', '-') || feature, ' ')
  from account_features where account_id = accounts.id), '') as overrides from accounts`;
const USERNAME = /^[a-z][a-z0-9_-]{0,31}$/;
/** How many snapshots are remembered; each is about 1 KiB. */
const REMEMBERED = 20_000;

/** Who exists, and what each may do. Every change is an event in the log and ends what it must end in the same transaction. */
export class Accounts {
  readonly #store: Store;
  readonly #revision: Revision;
  readonly #plans: Plans;
  readonly #events: AuditLog;
  readonly #filesRoot: (username: string) => string;
  readonly #cells = new Map<number, AccountCell>();

  constructor(parts: {
    store: Store;
    revision: Revision;
    plans: Plans;
    events: AuditLog;
    filesRoot: (username: string) => string;
  }) {
    this.#store = parts.store;
    this.#revision = parts.revision;
    this.#plans = parts.plans;
    this.#events = parts.events;
    this.#filesRoot = parts.filesRoot;
  }

  cell(id: number): AccountCell {
    let cell = this.#cells.get(id);
    if (cell === undefined) {
      cell = { id, account: undefined, generation: -1, version: 0 };
      this.#cells.set(id, cell);
      if (this.#cells.size > REMEMBERED) this.#evict();
    }
    return cell;
  }

  /** The newest snapshot, `undefined` when there is no such account. What changed while it was read is not kept. */
  async byId(id: number): Promise<Account | undefined> {
    const cell = this.cell(id);
    const { generation } = this.#revision;
    if (cell.account !== undefined && cell.generation === generation) return cell.account;
    const { version } = cell;
    const account = await this.#one('id', id);
    if (cell.version === version && this.#revision.generation === generation) {
      cell.account = account;
      cell.generation = generation;
    }
    return account;
  }

  byUsername(username: string): Promise<Account | undefined> {
    return this.#one('username', username);
  }

  /** Errors: 404 `account_not_found`. */
  async get(username: string): Promise<Account> {
    return (await this.byUsername(username)) ?? unknown(username);
  }

  /** Accounts in the order of their names that come after `cursor` (`''` = from the first). */
  async list(limit: number, cursor = ''): Promise<Account[]> {
    return this.#many(`${SELECT} where username > ? order by username limit ?`, cursor, limit);
  }

  /** How many accounts there are in a role. */
  async count(role: Role): Promise<number> {
    return (await this.#store.get<{ n: number }>('select count(*) as n from accounts where role = ?', role))?.n ?? 0;
  }

  /** What a login is checked against; inside a transaction, as it is there. */
  async passwordHash(
    username: string,
    reader: Reader = this.#store,
  ): Promise<{ id: number; hash: string; isSuspended: boolean } | undefined> {
    const row = await reader.get<{ id: number; hash: string; suspended_at: number | null }>(
      'select id, password_hash as hash, suspended_at from accounts where username = ?',
      username,
    );
    return row && { id: row.id, hash: row.hash, isSuspended: row.suspended_at !== null };
  }

  /** Errors: 409 `account_exists`, 404 `plan_not_found`, 400 for a bad name; a user needs a plan, an admin has none. */
  async create(account: NewAccount, ip = ''): Promise<Account> {
    const { username, role, plan = null } = account;
    if (!USERNAME.test(username))
      throw new HttpError('invalid_request', 'a user name is 1 to 32 of a-z, 0-9, _ and -, and begins with a letter');
    if ((role === 'user') !== (plan !== null))
      throw new HttpError('invalid_request', role === 'user' ? 'a user needs a plan' : 'an admin has no plan');
    if (plan !== null) await this.#plans.get(plan);
    await this.#store.write(async (tx) => {
      if (plan !== null) await assertPlanExists(tx, plan); // it may have been removed meanwhile
      if (await tx.get('select 1 from accounts where username = ?', username))
        throw new HttpError('account_exists', `there is an account ${username} already`);
      const { lastId: id } = await tx.run(
        'insert into accounts (username, role, email, password_hash, plan, created_at) values (?, ?, ?, ?, ?, ?)',
        username,
        role,
        account.email ?? '',
        account.passwordHash,
        plan,
        Date.now(),
      );
      await this.#events.record(tx, { type: 'account.created', account: { id, username }, text: 'was created', ip });
    });
    return this.get(username);
  }

  /** Changes plan, e-mail address or language. Errors: 404 `account_not_found`, `plan_not_found`. */
  async update(
    username: string,
    change: { plan?: string; email?: string; locale?: string },
    ip = '',
  ): Promise<Account> {
    if (change.plan !== undefined) await this.#plans.get(change.plan);
    await this.#change(username, async (tx, { id }) => {
      if (change.plan !== undefined) await assertPlanExists(tx, change.plan);
      for (const column of ['plan', 'email', 'locale'] as const) {
        const value = change[column];
        if (value === undefined) continue;
        await tx.run(`update accounts set ${column} = ? where id = ?`, value, id);
        await this.#events.record(tx, {
          type: 'account.changed',
          account: { id, username },
          text: `changed the ${column} to ${value}`,
          ip,
          data: { [column]: value },
        });
      }
    });
    return this.get(username);
  }

  /** Sets a new password; all sessions end, but for the one named. */
  setPassword(username: string, hash: string, ip = '', keepSession = ''): Promise<void> {
    return this.#change(username, async (tx, { id }) => {
      await tx.run('update accounts set password_hash = ? where id = ?', hash, id);
      await tx.run('delete from sessions where account_id = ? and id <> ?', id, keepSession);
      await this.#events.record(tx, {
        type: 'password.changed',
        account: { id, username },
        text: 'changed the password',
        ip,
      });
    });
  }

  /** A suspended account cannot log in, and its sessions end at once. Errors: 404 `account_not_found`, 409 `last_admin`. */
  suspend(username: string, ip = ''): Promise<void> {
    return this.#change(username, async (tx, { id }) => {
      await assertNotLastAdmin(tx, id);
      await tx.run('update accounts set suspended_at = coalesce(suspended_at, ?) where id = ?', Date.now(), id);
      await tx.run('delete from sessions where account_id = ?', id);
      await this.#events.record(tx, {
        type: 'account.suspended',
        account: { id, username },
        text: 'was suspended',
        ip,
      });
    });
  }

  unsuspend(username: string, ip = ''): Promise<void> {
    return this.#change(username, async (tx, { id }) => {
      await tx.run('update accounts set suspended_at = null where id = ?', id);
      await this.#events.record(tx, {
        type: 'account.unsuspended',
        account: { id, username },
        text: 'was unsuspended',
        ip,
      });
    });
  }

  /** Removes the account and what the store holds of it. Its files stay. Errors: 404 `account_not_found`, 409 `last_admin`. */
  remove(username: string, ip = ''): Promise<void> {
    return this.#change(username, async (tx, { id }) => {
      await assertNotLastAdmin(tx, id);
      await tx.run('delete from accounts where id = ?', id);
      await this.#events.record(tx, {
        type: 'account.removed',
        username,
        text: 'was removed',
        ip,
        data: { account_id: id },
      });
    });
  }

  /** Gives or takes a feature, whatever the plan says; `undefined` leaves it to the plan again. */
  async setFeature(username: string, feature: string, on: boolean | undefined, ip = ''): Promise<void> {
    this.#plans.assertFeature(feature);
    return this.#change(username, async (tx, { id }) => {
      if (on === undefined)
        await tx.run('delete from account_features where account_id = ? and feature = ?', id, feature);
      else
        await tx.run(
          'insert into account_features values (?, ?, ?) on conflict do update set granted = excluded.granted',
          id,
          feature,
          on ? 1 : 0,
        );
      const text =
        on === undefined
          ? `got the plan's setting of the feature ${feature}`
          : `${on ? 'got' : 'lost'} the feature ${feature}`;
      await this.#events.record(tx, {
        type: 'feature.toggled',
        account: { id, username },
        text,
        ip,
        data: { feature, on: on ?? null },
      });
    });
  }

  async #change(username: string, work: (tx: Tx, account: { id: number }) => Promise<void>): Promise<void> {
    await this.#revision.mutate(
      async (tx) => {
        const account =
          (await tx.get<{ id: number }>('select id from accounts where username = ?', username)) ?? unknown(username);
        await work(tx, account);
        return account.id;
      },
      (id) => this.forget(id),
    );
  }

  /** Makes everything that was remembered of an account be read again, its sessions too. */
  forget(id: number): void {
    const cell = this.cell(id);
    cell.account = undefined;
    cell.version += 1;
  }

  /** The oldest cell goes, emptied, because sessions may still hold it. */
  #evict(): void {
    for (const [id, cell] of this.#cells) {
      cell.account = undefined;
      cell.version += 1;
      this.#cells.delete(id);
      return;
    }
  }

  async #one(column: 'id' | 'username', value: SqlValue): Promise<Account | undefined> {
    return (await this.#many(`${SELECT} where ${column} = ?`, value))[0];
  }

  async #many(sql: string, ...params: SqlValue[]): Promise<Account[]> {
    const plans = await this.#plans.all();
    const rows = await this.#store.all<Row>(sql, ...params);
    return rows.map((row) => this.#snapshot(row, row.plan === null ? undefined : plans.get(row.plan)));
  }

  #snapshot(row: Row, plan: Plan | undefined): Account {
    const overrides = Object.fromEntries(
      row.overrides === '' ? [] : row.overrides.split(' ').map((text) => [text.slice(1), text.startsWith('+')]),
    );
    return {
      id: row.id,
      username: row.username,
      role: row.role,
      email: row.email,
      locale: row.locale,
      plan,
      overrides,
      features: effective(plan, overrides),
      filesRoot: this.#filesRoot(row.username),
      suspended: row.suspended_at !== null,
      createdAt: row.created_at,
    };
  }
}

/** Without a plan nothing is granted, whatever the account's own settings say. */
function effective(plan: Plan | undefined, overrides: Readonly<Record<string, boolean>>): ReadonlySet<string> {
  const changes = Object.entries(overrides);
  if (plan === undefined) return new Set();
  if (changes.length === 0) return plan.features;
  const features = new Set(plan.features);
  for (const [feature, on] of changes) {
    if (on) features.add(feature);
    else features.delete(feature);
  }
  return features;
}

/** Somebody must be left to open the door again. */
async function assertNotLastAdmin(tx: Tx, id: number): Promise<void> {
  const admins = await tx.all<{ id: number }>(
    "select id from accounts where role = 'admin' and suspended_at is null limit 2",
  );
  if (admins.length === 1 && admins[0]?.id === id)
    throw new HttpError('last_admin', 'there is no other administrator who can log in');
}

function unknown(username: string): never {
  throw new HttpError('account_not_found', `there is no account ${username}`);
}
