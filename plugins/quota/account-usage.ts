import { AccountCache } from '../../kernel/kit/waiting/account-cache.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { AccountsUsage } from '../../kernel/contract/points/account-report.ts';
import type { KernelQuota } from './kernel-quota.ts';
import type { QuotaRow } from './repquota.ts';
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

/** Returns what many accounts use, without measuring any of them now; `uidOf` says which user id an account has here. */
export async function usageOfMany(
  accounts: readonly Account[],
  { kernel, samples }: { readonly kernel: KernelQuota; readonly samples: UsageSamples },
  uidOf: (account: Account) => number | undefined,
): Promise<AccountsUsage[]> {
  const [disk, inodes, at] = [new Map<number, number>(), new Map<number, number>(), new Map<number, number>()];
  const quotaOf = await kernel.known(uidOf);
  const note = (id: number, kib: number, files: number, when: number) => {
    disk.set(id, kib);
    inodes.set(id, files);
    at.set(id, when);
  };
  const uncounted = accounts.filter((account) => {
    const known = quotaOf(account);
    if (known !== undefined) note(account.id, known.row.blocksUsed, known.row.filesUsed, known.at);
    return known === undefined;
  });
  for (const [id, measured] of await samples.of(uncounted))
    note(id, Math.ceil(measured.bytes / 1024), measured.inodes, measured.at);
  return [
    { resource: 'disk_kib', used: disk, at },
    { resource: 'inodes', used: inodes, at },
  ];
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
  const [blocks, files] = [(plan?.disk_limit_mib ?? 0) * 1024, plan?.inodes_limit ?? 0];
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
