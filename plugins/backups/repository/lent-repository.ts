/** Repositories, for the plugins that read, copy and bring them; see `AccountBackups`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Host } from '../../../kernel/contract/plugin.ts';
import type { AccountBackups, KeptBackup, KeptBackups } from '../../../kernel/areas/backups/account-backups.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { Backups } from '../backups.ts';
import { AGAIN, fail } from '../errors.ts';
import * as rows from '../store.ts';

interface Parts extends Pick<Host, 'local'> {
  readonly backups: Backups;
}

export async function readKept({ local, backups }: Parts, account: Account) {
  const kept = await rows.listKept(local, account.id);
  const found = kept.length === 0 ? undefined : await backups.repositories.find(account);
  return found && { key: found.key, backups: kept, sizeBytes: await rows.repositoryBytes(local, account.id) };
}

export async function withRepository<T>(
  { local, backups }: Parts,
  account: Account,
  signal: AbortSignal,
  work: (kept: KeptBackups) => Promise<T>,
): Promise<T | undefined> {
  const { repositories } = backups;
  if ((await rows.listBackups(local, account.id)).length === 0) return undefined;
  return backups.alone(account, signal, async () => {
    const repository = await backups.repository(account);
    await repositories.tidy(repository);
    await rows.adoptRows(local, account, repository.folder);
    const kept = await rows.listKept(local, account.id);
    const there = await repositories.snapshots(repository);
    const lost = kept.find((backup) => !rows.isWhole(backup, there));
    if (lost !== undefined) throw fail.backup_unreadable(`that of ${rows.madeAt(lost)} is lost`, AGAIN);
    return work({ ...repository, beside: repositories.at(account, 'picture'), backups: kept });
  });
}

export function adoptRepository(
  { local, backups }: Parts,
  ...[account, kept, { signal, replaces, isHeld = false }, fill]: Parameters<AccountBackups['adopt']>
): Promise<number> {
  const { repositories } = backups;
  const adopt = async () => {
    const known = await rows.listBackups(local, account.id);
    if (known.length > 0 && !replaces) throw fail.backups_exist('the account has backups on this node');
    const key = kept.key ?? (await repositories.key(account));
    const whole: KeptBackup[] = [];
    const repository = await repositories.place(account, key, async (folder) => {
      await fill(folder);
      await mkdir(join(folder, 'locks'), { recursive: true, mode: 0o700 }); // copies may lack it, because it is empty
      await repositories.prove({ folder, key });
      const there = await repositories.snapshots({ folder, key });
      whole.push(...kept.backups.filter((backup) => rows.isWhole(backup, there)));
      if (whole.length === 0) throw fail.backup_unreadable('no backup of the repository is whole', AGAIN);
      await writeFile(join(folder, rows.ROWS), JSON.stringify(whole), { flag: 'wx', mode: 0o600, flush: true });
    });
    await local.write(async (tx) => {
      for (const { id } of known) await rows.removeBackup(tx, account.id, id);
    });
    await rows.adoptRows(local, account, repository.folder);
    await backups.retention.measure(account, repository);
    return whole.length;
  };
  return isHeld ? adopt() : backups.alone(account, signal, adopt);
}

export async function forgetBackups({ local, backups }: Parts, { id }: Pick<Account, 'id'>): Promise<void> {
  await local.write((tx) => rows.removeRows(tx, id));
  await backups.repositories.remove({ id });
}
