import type { Store, Tx } from '../../kernel/store/store.ts';
import type { ReadPosition } from '../../kernel/kit/files/followed-log.ts';
import type { Kind } from './site-logs/segments.ts';

/** The file of a site that grows. */
export interface GrowingFile {
  readonly domainId: number;
  readonly kind: Kind;
  readonly accountId: number;
  readonly segment: number;
  readonly sizeBytes: number;
  /** When it was begun, in milliseconds since 1970. */
  readonly since: number;
}

/** Requests of a site on a day. */
export interface DayTraffic {
  readonly accountId: number;
  readonly domainId: number;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  requests: number;
  bytes: number;
}

/** Requests of the sites of an account, and the bytes of their replies. */
export interface Sent {
  readonly requests: number;
  readonly bytes: number;
}

export async function readPositions(store: Store, kind: Kind): Promise<ReadPosition[]> {
  const rows = await store.all<{ inode: string; position: number; mark: Uint8Array }>(
    'select inode, position, mark from logs_followed where kind = ? order by nth',
    kind,
  );
  return rows.map(({ inode, position, mark }) => ({ inode, offset: position, mark: Buffer.from(mark) }));
}

export async function writePositions(tx: Tx, kind: Kind, positions: readonly ReadPosition[]): Promise<void> {
  await tx.run('delete from logs_followed where kind = ?', kind);
  for (const [nth, { inode, offset, mark }] of positions.entries())
    await tx.run('insert into logs_followed values (?, ?, ?, ?, ?)', kind, nth, inode, offset, mark);
}

export async function readFiles(store: Store): Promise<GrowingFile[]> {
  return store.all<GrowingFile>(
    'select domain_id as domainId, kind, account_id as accountId, segment, size as sizeBytes, since from logs_sites',
  );
}

export async function writeFile(tx: Tx, file: GrowingFile): Promise<void> {
  const { domainId, kind, accountId, segment, sizeBytes, since } = file;
  const values = [domainId, kind, accountId, segment, sizeBytes, since];
  await tx.run(
    `insert into logs_sites values (?, ?, ?, ?, ?, ?)
      on conflict (domain_id, kind) do update set segment = excluded.segment, size = excluded.size, since = excluded.since`,
    ...values,
  );
}

export async function addTraffic(tx: Tx, { accountId, domainId, day, requests, bytes }: DayTraffic): Promise<void> {
  await tx.run(
    `insert into logs_traffic values (?, ?, ?, ?, ?)
      on conflict (account_id, day, domain_id) do update set requests = requests + excluded.requests, bytes = bytes + excluded.bytes`,
    ...[accountId, domainId, day, requests, bytes],
  );
}

/** Forgets days that are this old. */
export async function expireTraffic(tx: Tx, before: string): Promise<void> {
  await tx.run('delete from logs_traffic where day < ?', before);
}

/** Resolves with the domains of an account that have files. */
export async function listDomains(store: Store, accountId: number): Promise<number[]> {
  const rows = await store.all<{ id: number }>(
    'select distinct domain_id as id from logs_sites where account_id = ?',
    accountId,
  );
  return rows.map(({ id }) => id);
}

export async function forgetDomain(tx: Tx, domainId: number): Promise<void> {
  await tx.run('delete from logs_sites where domain_id = ?', domainId);
}

export async function forgetAccount(tx: Tx, accountId: number): Promise<void> {
  await tx.run('delete from logs_traffic where account_id = ?', accountId);
}

/** Resolves with what accounts sent from a day on, by their ids; those that sent nothing are left out. */
export async function trafficSince(
  store: Store,
  accountIds: readonly number[],
  day: string,
): Promise<ReadonlyMap<number, Sent>> {
  const rows = await store.all<Sent & { id: number }>(
    `select account_id as id, sum(requests) as requests, sum(bytes) as bytes from logs_traffic
      where account_id in (select value from json_each(?)) and day >= ? group by account_id`,
    JSON.stringify(accountIds),
    day,
  );
  return new Map(rows.map(({ id, requests, bytes }) => [id, { requests, bytes }]));
}

/** Resolves with what an account sent on each day from one on, the first first. */
export function trafficByDay(
  store: Store,
  accountId: number,
  day: string,
): Promise<(Sent & { readonly day: string })[]> {
  return store.all(
    `select day, sum(requests) as requests, sum(bytes) as bytes from logs_traffic
      where account_id = ? and day >= ? group by day order by day`,
    accountId,
    day,
  );
}
