import { AccountCache } from '../../kernel/kit/waiting/account-cache.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { AccountsUsage, ResourceUsage } from '../../kernel/contract/points/account-report.ts';
import type { KernelQuota, KnownQuota } from './kernel-quota/kernel-quota.ts';
import type { QuotaRow } from './kernel-quota/repquota.ts';
import type { DiskInodes } from './schema.ts';
import type { Measured } from './store.ts';
import type { UsageSamples } from './usage-samples.ts';

/** How long results are cached. */
const TTL_MS = 2000;

/** Disk and inode usage of accounts: from the kernel's quota, otherwise measured and compared with the plan. */
export class AccountUsage {
  readonly #kernel: KernelQuota;
  readonly #samples: UsageSamples;
  readonly #results = new AccountCache<DiskInodes>(TTL_MS);
  readonly #measured: AccountCache<Measured>;

  constructor(kernel: KernelQuota, measuredMs: number, samples: UsageSamples) {
    this.#kernel = kernel;
    this.#samples = samples;
    this.#measured = new AccountCache(measuredMs);
  }

  of(account: Account): DiskInodes | Promise<DiskInodes> {
    return this.#results.get(account, '', async () => {
      const counted = await this.#kernel.of(account);
      if (counted !== undefined) return ofKernel(counted.row, counted.at);
      return ofMeasured(await this.#measured.get(account, '', () => this.#samples.measure(account)), account);
    });
  }
}

/** Returns what many accounts use, without measuring any of them now. */
export async function usageOfMany(
  accounts: readonly Account[],
  quotaOf: (account: Account) => KnownQuota | undefined,
  samples: Pick<UsageSamples, 'of'>,
): Promise<AccountsUsage> {
  const found = new Map<number, readonly ResourceUsage[]>();
  const uncounted = accounts.filter((account) => {
    const known = quotaOf(account);
    if (known !== undefined) found.set(account.id, resources(ofKernel(known.row, known.at), known.at));
    return known === undefined;
  });
  const measured = await samples.of(uncounted);
  for (const account of uncounted) {
    const sample = measured.get(account.id);
    if (sample !== undefined) found.set(account.id, resources(ofMeasured(sample, account), sample.at));
  }
  return found;
}

/** An account is over its quota when it cannot write any more, or soon will not. */
export function resources(
  { disk_used, disk_soft, inodes_used, inodes_soft }: DiskInodes,
  at?: number,
): ResourceUsage[] {
  const resource = (name: string, used: number, limit: number) => ({
    ...{ resource: name, used, limit, isOver: limit > 0 && used >= limit },
    ...(at !== undefined && { at }),
  });
  return [resource('disk_kib', disk_used, disk_soft), resource('inodes', inodes_used, inodes_soft)];
}

function ofKernel(row: QuotaRow, at: number): DiskInodes {
  return {
    date: dateText(at),
    measured_at: new Date(at).toISOString(),
    disk_hard: row.blocksHard,
    disk_soft: row.blocksSoft,
    disk_used: row.blocksUsed,
    inodes_hard: row.filesHard,
    inodes_soft: row.filesSoft,
    inodes_used: row.filesUsed,
  };
}

/** A plan has one limit, which serves as the soft and the hard one. */
function ofMeasured({ bytes, inodes, at }: Measured, { plan }: Account): DiskInodes {
  const [blocks, files] = [(plan?.limits['disk_limit_mib'] ?? 0) * 1024, plan?.limits['inodes_limit'] ?? 0];
  return {
    date: dateText(at),
    measured_at: new Date(at).toISOString(),
    disk_hard: blocks,
    disk_soft: blocks,
    disk_used: Math.ceil(bytes / 1024),
    inodes_hard: files,
    inodes_soft: files,
    inodes_used: inodes,
  };
}

/** Returns `YYYY-MM-DD-HH-MM-SS` in UTC. */
function dateText(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace(/[T:]/g, '-');
}
