import type { Reader, Tx } from '../../kernel/store/store.ts';

/** How the scripts of a domain run. */
export interface Site {
  readonly domainId: number;
  readonly accountId: number;
  /** Empty for none. */
  readonly version: string;
  readonly memoryMib: number;
  readonly uploadMib: number;
  readonly seconds: number;
  readonly showsErrors: boolean;
  readonly timezone: string;
  /** The php.ini section as the customer wrote it. */
  readonly ini: string;
}

type Row = Omit<Site, 'showsErrors'> & { readonly shows_errors: number };

const PAGE = 500;
const COLUMNS = 'domain_id, account_id, version, memory_mib, upload_mib, seconds, shows_errors, timezone, ini';
const SELECT =
  'select domain_id as "domainId", account_id as "accountId", version, memory_mib as "memoryMib", upload_mib as "uploadMib", seconds, shows_errors, timezone, ini from php_sites';

/** Returns what is stored of some domains. */
export async function listSites(reader: Reader, domainIds: readonly number[]): Promise<Site[]> {
  const rows = await reader.all<Row>(
    `${SELECT} where domain_id in (select cast(value as bigint) from json_each(?))`,
    JSON.stringify(domainIds),
  );
  return rows.map(toSite);
}

/** Returns the domains that have a version, of all accounts; reads them page by page, so that no statement takes long. */
export async function sitesWithPhp(reader: Reader): Promise<Site[]> {
  const sites: Site[] = [];
  for (let last = 0, isMore = true; isMore; last = sites.at(-1)?.domainId ?? last) {
    const rows = await reader.all<Row>(
      `${SELECT} where domain_id > ? and version <> '' order by domain_id limit ?`,
      last,
      PAGE,
    );
    sites.push(...rows.map(toSite));
    isMore = rows.length === PAGE;
  }
  return sites;
}

export async function putSite(tx: Tx, site: Site): Promise<void> {
  await tx.run(
    `insert into php_sites (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
      on conflict (domain_id) do update set version = excluded.version, memory_mib = excluded.memory_mib,
        upload_mib = excluded.upload_mib, seconds = excluded.seconds, shows_errors = excluded.shows_errors,
        timezone = excluded.timezone, ini = excluded.ini`,
    site.domainId,
    site.accountId,
    site.version,
    site.memoryMib,
    site.uploadMib,
    site.seconds,
    site.showsErrors ? 1 : 0,
    site.timezone,
    site.ini,
  );
}

export async function removeSite(tx: Tx, domainId: number): Promise<void> {
  await tx.run('delete from php_sites where domain_id = ?', domainId);
}

const toSite = ({ shows_errors, ...row }: Row): Site => ({ ...row, showsErrors: shows_errors === 1 });

/** Returns the versions that the domains of an account have. */
export async function listVersions(reader: Reader, accountId: number): Promise<string[]> {
  const rows = await reader.all<{ version: string }>(
    "select distinct version from php_sites where account_id = ? and version <> '' order by version",
    accountId,
  );
  return rows.map(({ version }) => version);
}
