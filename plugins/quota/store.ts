import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Reader, Store } from '../../kernel/store/store.ts';
import type { FolderUsage } from './folders/folders-job.ts';

/** Folders of an account whose measurement is kept. */
const FOLDERS = 50;

export interface Measured {
  readonly bytes: number;
  readonly inodes: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A folder, and the folders in it that take the most. */
export interface MeasuredFolders {
  readonly total: FolderUsage;
  readonly folders: readonly (FolderUsage & { readonly name: string })[];
  /** When the measurement began, in milliseconds since 1970. */
  readonly at: number;
}

/** Resolves with the newest measurements of accounts that have one. */
export async function readSamples(reader: Reader, accountIds: readonly number[]): Promise<Map<number, Measured>> {
  const rows = await reader.all<Measured & { account_id: number }>(
    'select account_id, bytes, inodes, at from quota_samples where account_id in (select value from json_each(?))',
    JSON.stringify(accountIds),
  );
  return new Map(rows.map(({ account_id: id, ...measured }) => [id, measured]));
}

/** Keeps a measurement, unless the one that is kept is hardly older and says much the same. Errors: 404 `account_not_found`, 409 `other_node`. */
export async function keepSample(
  { local, identity }: Pick<Host, 'local' | 'identity'>,
  account: Account,
  { bytes, inodes, at }: Measured,
  restMs: number,
): Promise<void> {
  const kept = (await readSamples(local, [account.id])).get(account.id);
  if (
    kept !== undefined &&
    at - kept.at < restMs &&
    isMuchTheSame(kept.bytes, bytes) &&
    isMuchTheSame(kept.inodes, inodes)
  )
    return;
  await local.write(async (tx) => {
    await identity.accounts.assertLivesHere(account);
    await tx.run(
      `insert into quota_samples values (?, ?, ?, ?)
        on conflict do update set bytes = excluded.bytes, inodes = excluded.inodes, at = excluded.at`,
      account.id,
      bytes,
      inodes,
      at,
    );
  });
}

/** Whether two figures differ by a hundredth at most. */
const isMuchTheSame = (before: number, now: number): boolean => Math.abs(now - before) <= before / 100;

/** Resolves with the kept measurement of a folder. */
export async function readLargest(
  reader: Reader,
  accountId: number,
  path: string,
): Promise<MeasuredFolders | undefined> {
  const row = await reader.get<{ measured: string; at: number }>(
    'select measured, at from quota_largest where account_id = ? and path = ?',
    ...[accountId, path],
  );
  return row && { ...(JSON.parse(row.measured) as Omit<MeasuredFolders, 'at'>), at: row.at };
}

/** Keeps the measurement of a folder, and the newest of others. Errors: 404 `account_not_found`, 409 `other_node`. */
export async function keepLargest(
  { local, identity }: Pick<Host, 'local' | 'identity'>,
  account: Account,
  path: string,
  { at, ...measured }: MeasuredFolders,
): Promise<void> {
  await local.write(async (tx) => {
    await identity.accounts.assertLivesHere(account);
    await tx.run(
      `insert into quota_largest values (?, ?, ?, ?)
        on conflict do update set measured = excluded.measured, at = excluded.at`,
      ...[account.id, path, JSON.stringify(measured), at],
    );
    await tx.run(
      `delete from quota_largest where account_id = ? and path not in
        (select path from quota_largest where account_id = ? order by at desc limit ?)`,
      ...[account.id, account.id, FOLDERS],
    );
  });
}

export async function dropLargest(local: Store, accountId: number, path: string): Promise<void> {
  const sql = 'delete from quota_largest where account_id = ? and path = ?';
  await local.write((tx) => tx.run(sql, accountId, path));
}
