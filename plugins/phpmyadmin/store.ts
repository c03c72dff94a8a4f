import type { Reader, Tx } from '../../kernel/store/store.ts';

/** An account has one at most. */
export interface StoredSession {
  readonly accountId: number;
  /** The domain at which it is served. */
  readonly domainId: number;
  /** Random; a part of the address. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Whether it is no longer served, and what it had is being removed. */
  readonly isEnding: boolean;
}

/** Rows that are read at a time. */
const PAGE = 500;
const SELECT = 'select account_id, domain_id, name, created_at, expires_at, is_ending from phpmyadmin_sessions';
interface Row {
  readonly account_id: number;
  readonly domain_id: number;
  readonly name: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly is_ending: number;
}
const session = (row: Row): StoredSession => ({
  accountId: row.account_id,
  domainId: row.domain_id,
  name: row.name,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  isEnding: row.is_ending === 1,
});

export async function readSession(reader: Reader, accountId: number): Promise<StoredSession | undefined> {
  const row = await reader.get<Row>(`${SELECT} where account_id = ?`, accountId);
  return row && session(row);
}

/** Returns those of all accounts. */
export async function allSessions(reader: Reader): Promise<StoredSession[]> {
  const found: StoredSession[] = [];
  for (;;) {
    const sql = `${SELECT} where account_id > ? order by account_id limit ?`;
    const page = await reader.all<Row>(sql, found.at(-1)?.accountId ?? 0, PAGE);
    found.push(...page.map(session));
    if (page.length < PAGE) return found;
  }
}

/** Returns those that are served at some domains. */
export async function servedSessions(reader: Reader, domainIds: readonly number[]): Promise<StoredSession[]> {
  const rows = await reader.all<Row>(
    `${SELECT} where is_ending = 0 and domain_id in (select cast(value as bigint) from json_each(?))`,
    JSON.stringify(domainIds),
  );
  return rows.map(session);
}

export async function insertSession(
  tx: Tx,
  { accountId, domainId, name, createdAt, expiresAt }: StoredSession,
): Promise<void> {
  await tx.run(
    `insert into phpmyadmin_sessions (account_id, domain_id, name, created_at, expires_at, is_ending)
      values (?, ?, ?, ?, ?, 0)`,
    ...[accountId, domainId, name, createdAt, expiresAt],
  );
}

export async function setEnding(tx: Tx, { accountId, name }: Pick<StoredSession, 'accountId' | 'name'>): Promise<void> {
  await tx.run('update phpmyadmin_sessions set is_ending = 1 where account_id = ? and name = ?', accountId, name);
}

/** Resolves with whether it was there. */
export async function removeSession(tx: Tx, { accountId, name }: StoredSession): Promise<boolean> {
  return (
    (await tx.run('delete from phpmyadmin_sessions where account_id = ? and name = ?', accountId, name)).changes === 1
  );
}
