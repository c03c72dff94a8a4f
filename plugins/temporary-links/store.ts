import type { Reader, Tx } from '../../kernel/store/store.ts';

export interface Link {
  readonly domainId: number;
  readonly accountId: number;
  /** The host name at which the site answers. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

const SELECT =
  'select domain_id as "domainId", account_id as "accountId", name, created_at as "createdAt", expires_at as "expiresAt" from temporary_links';

/** Returns the links of some domains. */
export function listLinks(reader: Reader, domainIds: readonly number[]): Promise<Link[]> {
  const ids = JSON.stringify(domainIds);
  return reader.all<Link>(`${SELECT} where domain_id in (select cast(value as bigint) from json_each(?))`, ids);
}

/** Returns links that expired before a time, the oldest first. */
export function listExpired(reader: Reader, before: number, limit: number): Promise<Link[]> {
  return reader.all<Link>(`${SELECT} where expires_at <= ? order by expires_at limit ?`, before, limit);
}

/** Writes the link of a domain in place of the one before. */
export async function putLink(tx: Tx, link: Link): Promise<void> {
  await removeLink(tx, link.domainId);
  await tx.run(
    'insert into temporary_links (domain_id, account_id, name, created_at, expires_at) values (?, ?, ?, ?, ?)',
    link.domainId,
    link.accountId,
    link.name,
    link.createdAt,
    link.expiresAt,
  );
}

/** Resolves with `false` where there is none. */
export async function removeLink(tx: Tx, domainId: number): Promise<boolean> {
  return (await tx.run('delete from temporary_links where domain_id = ?', domainId)).changes === 1;
}
