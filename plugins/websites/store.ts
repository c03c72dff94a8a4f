import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Accounts } from '../../kernel/identity/accounts/accounts.ts';
import type { Reader, Store } from '../../kernel/store/store.ts';
import type { DocrootScan, FoundSite, Stamps } from './detection/docroot-scan.ts';

/** The last scan of a docroot. */
export interface ScannedDocroot extends DocrootScan {
  /** Identifies the scanned folders: the docroot, without the docroots of other domains below it. */
  readonly scope: string;
}

/** The scans of an account's docroots, by domain. */
export async function readDocroots(local: Reader, accountId: number): Promise<Map<string, ScannedDocroot>> {
  const docroots = await local.all<{ domain: string; scope: string; stamps: string }>(
    'select domain, scope, stamps from websites_docroots where account_id = ?',
    accountId,
  );
  const found = await readFound(local, accountId);
  return new Map(
    docroots.map(({ domain, scope, stamps }) => [
      domain,
      { scope, stamps: JSON.parse(stamps) as Stamps, found: found.get(domain) ?? [] },
    ]),
  );
}

/** The applications that those scans found, by domain; nothing for one without any. */
export async function readFound(local: Reader, accountId: number): Promise<Map<string, FoundSite[]>> {
  const byDomain = new Map<string, FoundSite[]>();
  for (const { domain, ...site } of await local.all<FoundSite & { domain: string }>(
    'select domain, path, type, version from websites_sites where account_id = ? order by domain, path',
    accountId,
  ))
    byDomain.set(domain, [...(byDomain.get(domain) ?? []), site]);
  return byDomain;
}

/** Stores new scans, and removes those of the domains in `removed`. Errors: 404 `account_not_found`, 409 `other_node`. */
export function saveDocroots(
  { local, accounts }: { readonly local: Store; readonly accounts: Accounts },
  account: Account,
  scans: ReadonlyMap<string, ScannedDocroot>,
  removed: readonly string[],
): Promise<void> {
  const accountId = account.id;
  return local.write(async (tx) => {
    await accounts.assertLivesHere(account);
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

/** Resolves with the number of sites of each account at the last scan, by the account's id. */
export async function countSitesByAccount(local: Reader, accountIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await local.all<{ id: number; n: number }>(
    `select value as id, (select count(*) from websites_sites where account_id = value) as n from json_each(?)`,
    JSON.stringify(accountIds),
  );
  return new Map(rows.map(({ id, n }) => [id, n]));
}

/** The number of sites of all accounts. */
export async function countSites(local: Reader): Promise<number> {
  return (await local.get<{ n: number }>('select count(*) as n from websites_sites'))?.n ?? 0;
}
