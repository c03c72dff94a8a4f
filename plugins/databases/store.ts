import type { Host } from '../../kernel/contract/plugin.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Reader } from '../../kernel/store/store.ts';

/** How many SQLite files an account had. */
export interface FileCount {
  readonly files: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Resolves with the newest counts of accounts that have one. */
export async function readCounts(reader: Reader, accountIds: readonly number[]): Promise<Map<number, FileCount>> {
  const rows = await reader.all<FileCount & { account_id: number }>(
    'select account_id, files, at from database_counts where account_id in (select value from json_each(?))',
    JSON.stringify(accountIds),
  );
  return new Map(rows.map(({ account_id: id, ...count }) => [id, count]));
}

/** Keeps a count. Errors: 404 `account_not_found`, 409 `other_node`. */
export function keepCount(
  { local, identity }: Pick<Host, 'local' | 'identity'>,
  account: Account,
  { files, at }: FileCount,
): Promise<void> {
  return local.write(async (tx) => {
    await identity.accounts.assertLivesHere(account);
    await tx.run(
      `insert into database_counts values (?, ?, ?)
        on conflict do update set files = excluded.files, at = excluded.at`,
      account.id,
      files,
      at,
    );
  });
}
