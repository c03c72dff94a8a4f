import type { Store } from '../../kernel/storage/store.ts';
import type { DocrootScan, FoundSite, Stamps } from './detection/docroot-scan.ts';

/** The last scan of a docroot. */
export interface ScannedDocroot extends DocrootScan {
  /** Identifies the scanned folders: the docroot, without the docroots of other domains below it. */
  readonly scope: string;
}

/** The scans of an account's docroots, by domain. */
export async function readDocroots(store: Store, accountId: number): Promise<Map<string, ScannedDocroot>> {
  const docroots = await store.all<{ domain: string; scope: string; stamps: string }>(
    'select domain, scope, stamps from websites_docroots where account_id = ?',
    accountId,
  );
  const sites = await store.all<FoundSite & { domain: string }>(
    'select domain, path, type, version from websites_sites where account_id = ? order by domain, path',
    accountId,
  );
  const byDomain = new Map<string, FoundSite[]>(docroots.map(({ domain }) => [domain, []]));
  for (const { domain, path, type, version } of sites) byDomain.get(domain)?.push({ path, type, version });
  return new Map(
    docroots.map((row) => [
      row.domain,
      { scope: row.scope, stamps: JSON.parse(row.stamps) as Stamps, found: byDomain.get(row.domain) ?? [] },
    ]),
  );
}

/** Stores new scans, and removes those of the domains in `removed`. */
export function saveDocroots(
  store: Store,
  accountId: number,
  scans: ReadonlyMap<string, ScannedDocroot>,
  removed: readonly string[],
): Promise<void> {
  return store.write(async (tx) => {
    for (const domain of [...removed, ...scans.keys()])
      await tx.run('delete from websites_docroots where account_id = ? and domain = ?', accountId, domain);
    for (const [domain, { scope, stamps, found }] of scans) {
      await tx.run(
        'insert into websites_docroots (account_id, domain, scope, stamps) values (?, ?, ?, ?)',
        accountId,
        domain,
        scope,
        JSON.stringify(stamps),
      );
      for (const { path, type, version } of found)
        await tx.run('insert into websites_sites values (?, ?, ?, ?, ?)', accountId, domain, path, type, version);
    }
  });
}

/** The number of sites of an account at the last scan. */
export async function countSitesOf(store: Store, accountId: number): Promise<number> {
  const sql = 'select count(*) as n from websites_sites where account_id = ?';
  return (await store.get<{ n: number }>(sql, accountId))?.n ?? 0;
}

/** The number of sites of all accounts. */
export async function countSites(store: Store): Promise<number> {
  return (await store.get<{ n: number }>('select count(*) as n from websites_sites'))?.n ?? 0;
}
