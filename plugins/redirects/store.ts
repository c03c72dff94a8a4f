import type { SiteRedirect } from '../../kernel/contract/points/web-server-part.ts';
import type { Reader, Tx } from '../../kernel/store/store.ts';

/** A redirect with the domain to which it belongs. */
export interface Redirect extends SiteRedirect {
  readonly id: number;
  readonly domainId: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export type UnsavedRedirect = Omit<Redirect, 'id'>;

interface Row {
  readonly id: number;
  readonly domain_id: number;
  readonly path: string;
  readonly is_prefix: number;
  readonly target: string;
  readonly status: number;
  readonly keeps_path: number;
  readonly keeps_query: number;
  readonly created_at: number;
}

/** Returns the redirects of some domains by their paths. */
export async function listRedirects(reader: Reader, domainIds: readonly number[]): Promise<Redirect[]> {
  const rows = await reader.all<Row>(
    `select id, domain_id, path, is_prefix, target, status, keeps_path, keeps_query, created_at from redirects
      where domain_id in (select cast(value as bigint) from json_each(?)) order by domain_id, path`,
    JSON.stringify(domainIds),
  );
  return rows.map((row) => ({
    id: row.id,
    domainId: row.domain_id,
    createdAt: row.created_at,
    from: row.path,
    isPrefix: row.is_prefix === 1,
    to: row.target,
    status: row.status,
    keepsPath: row.keeps_path === 1,
    keepsQuery: row.keeps_query === 1,
  }));
}

/** Resolves with the new id. */
export function insertRedirect(tx: Tx, accountId: number, redirect: UnsavedRedirect): Promise<number> {
  return tx.insert(
    `insert into redirects (account_id, domain_id, path, is_prefix, target, status, keeps_path, keeps_query, created_at)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    accountId,
    redirect.domainId,
    redirect.from,
    redirect.isPrefix ? 1 : 0,
    redirect.to,
    redirect.status,
    redirect.keepsPath ? 1 : 0,
    redirect.keepsQuery ? 1 : 0,
    redirect.createdAt,
  );
}

/** Resolves with `false` where there is none, of this account. */
export async function removeRedirect(tx: Tx, accountId: number, id: number): Promise<boolean> {
  return (await tx.run('delete from redirects where id = ? and account_id = ?', id, accountId)).changes === 1;
}

export async function removeRedirectsOfDomain(tx: Tx, domainId: number): Promise<void> {
  await tx.run('delete from redirects where domain_id = ?', domainId);
}
