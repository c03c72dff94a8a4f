import type { SiteAccess } from '../../kernel/contract/points/web-server-part.ts';
import type { Reader, Tx } from '../../kernel/store/store.ts';

/** Returns the access of some domains that have any, by the domain's id. */
export async function readAccess(
  reader: Reader,
  domainIds: readonly number[],
): Promise<ReadonlyMap<number, SiteAccess>> {
  const rows = await reader.all<{ domain_id: number; access: string }>(
    'select domain_id, access from site_access where domain_id in (select cast(value as bigint) from json_each(?))',
    JSON.stringify(domainIds),
  );
  return new Map(rows.map(({ domain_id: id, access }) => [id, JSON.parse(access) as SiteAccess]));
}

export async function putAccess(tx: Tx, domainId: number, accountId: number, access: SiteAccess): Promise<void> {
  await removeAccess(tx, domainId);
  await tx.run(
    'insert into site_access (domain_id, account_id, access) values (?, ?, ?)',
    domainId,
    accountId,
    JSON.stringify(access),
  );
}

export async function removeAccess(tx: Tx, domainId: number): Promise<void> {
  await tx.run('delete from site_access where domain_id = ?', domainId);
}
