import type { Reader, Tx } from '../../kernel/store/store.ts';
import type { SiteSettings } from './site-settings.ts';

/** The settings of a site, as they are kept. */
export interface Stored extends SiteSettings {
  /** The largest body of a request; `null` for that of the server, or of PHP. */
  readonly uploadMib: number | null;
}
export interface Row {
  readonly domainId: number;
  readonly accountId: number;
  readonly settings: Stored;
}

/** Returns the settings of some domains that have any. */
export async function listSettings(reader: Reader, domainIds: readonly number[]): Promise<Row[]> {
  const rows = await reader.all<{ domain_id: number; account_id: number; settings: string }>(
    'select domain_id, account_id, settings from site_settings where domain_id in (select cast(value as bigint) from json_each(?))',
    JSON.stringify(domainIds),
  );
  return rows.map(({ domain_id: domainId, account_id: accountId, settings }) => ({
    domainId,
    accountId,
    settings: JSON.parse(settings) as Stored,
  }));
}

export async function putSettings(tx: Tx, { domainId, accountId, settings }: Row): Promise<void> {
  await removeSettings(tx, domainId);
  await tx.run(
    'insert into site_settings (domain_id, account_id, settings) values (?, ?, ?)',
    domainId,
    accountId,
    JSON.stringify(settings),
  );
}

export async function removeSettings(tx: Tx, domainId: number): Promise<void> {
  await tx.run('delete from site_settings where domain_id = ?', domainId);
}
