import type { Store } from '../../kernel/storage/store.ts';
import type { FoundSite, DocrootScan, Stamps } from './detection/docroot-scan.ts';

export interface Docroot {
  /** What was looked through: changes when the docroot does, or the docroots of other domains below it. */
  readonly scope: string;
  readonly stamps: Stamps;
  readonly found: readonly FoundSite[];
}

/** What was found in the docroots of an account, by domain. */
export async function readDocroots(store: Store, accountId: number): Promise<Map<string, Docroot>> {
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

/** Keeps what was newly found, and forgets the domains that are gone. */
export function saveDocroots(
  store: Store,
  accountId: number,
  looks: ReadonlyMap<string, DocrootScan & { readonly scope: string }>,
  gone: readonly string[],
): Promise<void> {
  return store.write(async (tx) => {
    for (const domain of [...gone, ...looks.keys()])
      await tx.run('delete from websites_docroots where account_id = ? and domain = ?', accountId, domain);
    for (const [domain, { scope, stamps, found }] of looks) {
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

/** All sites of the server. */
export async function countSites(store: Store): Promise<number> {
  return (await store.get<{ n: number }>('select count(*) as n from websites_sites'))?.n ?? 0;
}
