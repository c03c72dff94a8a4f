import type { Reader, Tx } from '../../kernel/store/store.ts';
import type { PublicKey } from './public-key.ts';
import type { SeenLogin } from './server/login-log.ts';

export interface StoredKey extends PublicKey {
  readonly id: number;
  readonly comment: string;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
}

export interface StoredLogin {
  readonly id: number;
  readonly accountId: number;
  /** The whole name. */
  readonly name: string;
  /** Components below the folder of the account's files. */
  readonly folder: readonly string[];
  /** The password, hashed; `null` for a login with keys only. */
  readonly secret: string | null;
  readonly keys: readonly StoredKey[];
  readonly createdAt: number;
  readonly lastLoginAt: number | null;
  /** An address. */
  readonly lastLoginFrom: string | null;
}

interface LoginRow {
  readonly id: number;
  readonly account_id: number;
  readonly name: string;
  readonly folder: string;
  readonly secret: string | null;
  readonly created_at: number;
  readonly last_login_at: number | null;
  readonly last_login_from: string | null;
}
interface KeyRow {
  readonly id: number;
  readonly login_id: number;
  readonly type: string;
  readonly blob: string;
  readonly fingerprint: string;
  readonly comment: string;
  readonly created_at: number;
}

/** Accounts that are read at a time. */
const PAGE = 500;

/** Returns the logins of an account by name. */
export async function listLogins(reader: Reader, accountId: number): Promise<StoredLogin[]> {
  return (await loginsOf(reader, [accountId])).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the logins of all accounts, by account; reads them page by page, so that no statement takes long. */
export async function allLogins(reader: Reader): Promise<Map<number, StoredLogin[]>> {
  const all = new Map<number, StoredLogin[]>();
  for (let last = 0, isMore = true; isMore;) {
    const accounts = await reader.all<{ id: number }>(
      'select distinct account_id as id from sftp_logins where account_id > ? order by account_id limit ?',
      ...[last, PAGE],
    );
    const ids = accounts.map(({ id }) => id);
    for (const login of await loginsOf(reader, ids))
      all.set(login.accountId, [...(all.get(login.accountId) ?? []), login]);
    last = ids.at(-1) ?? last;
    isMore = ids.length === PAGE;
  }
  return all;
}

async function loginsOf(reader: Reader, accountIds: readonly number[]): Promise<StoredLogin[]> {
  const ids = JSON.stringify(accountIds);
  const rows = await reader.all<LoginRow>(
    `select id, account_id, name, folder, secret, created_at, last_login_at, last_login_from from sftp_logins
      where account_id in (select cast(value as bigint) from json_each(?))`,
    ids,
  );
  const keys = new Map<number, StoredKey[]>();
  const keyRows = await reader.all<KeyRow>(
    `select k.id, k.login_id, k.type, k.blob, k.fingerprint, k.comment, k.created_at from sftp_keys k
      join sftp_logins l on l.id = k.login_id
      where l.account_id in (select cast(value as bigint) from json_each(?))`,
    ids,
  );
  for (const row of keyRows.toSorted((a, b) => a.id - b.id))
    keys.set(row.login_id, [...(keys.get(row.login_id) ?? []), toKey(row)]);
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    folder: row.folder === '' ? [] : row.folder.split('/'),
    secret: row.secret,
    keys: keys.get(row.id) ?? [],
    createdAt: row.created_at,
    lastLoginAt: row.last_login_at,
    lastLoginFrom: row.last_login_from,
  }));
}

function toKey({ id, type, blob, fingerprint, comment, created_at: createdAt }: KeyRow): StoredKey {
  return { id, type, blob, fingerprint, comment, createdAt };
}

export async function countLogins(reader: Reader, accountId: number): Promise<number> {
  const row = await reader.get<{ n: number }>('select count(*) as n from sftp_logins where account_id = ?', accountId);
  return row?.n ?? 0;
}

/** Notes when and from where somebody logged in, unless a later time is known. */
export async function noteLastLogin(tx: Tx, { login, at, address }: SeenLogin): Promise<void> {
  await tx.run(
    'update sftp_logins set last_login_at = ?, last_login_from = ? where name = ? and coalesce(last_login_at, 0) < ?',
    ...[at, address, login, at],
  );
}

/** Makes the rows of an account's logins these; ids of what is new do not count. */
export async function putLogins(tx: Tx, accountId: number, logins: readonly StoredLogin[]): Promise<void> {
  const before = await listLogins(tx, accountId);
  for (const { id, name } of before)
    if (!logins.some((login) => login.name === name)) await tx.run('delete from sftp_logins where id = ?', id);
  for (const { name, folder, secret, keys, createdAt } of logins) {
    await tx.run(
      `insert into sftp_logins (account_id, name, folder, secret, created_at) values (?, ?, ?, ?, ?)
        on conflict (name) do update set folder = excluded.folder, secret = excluded.secret`,
      ...[accountId, name, folder.join('/'), secret, createdAt],
    );
    const old = before.find((login) => login.name === name)?.keys ?? [];
    for (const { id, blob } of old)
      if (!keys.some((key) => key.blob === blob)) await tx.run('delete from sftp_keys where id = ?', id);
    for (const key of keys.filter(({ blob }) => !old.some((each) => each.blob === blob)))
      await tx.run(
        `insert into sftp_keys (login_id, type, blob, fingerprint, comment, created_at)
          select id, ?, ?, ?, ?, ? from sftp_logins where name = ?`,
        ...[key.type, key.blob, key.fingerprint, key.comment, key.createdAt, name],
      );
  }
}
