import { AccountCache } from '../../kernel/concurrency/account-cache.ts';
import type { Account } from '../../kernel/identity/accounts.ts';
import type { KernelQuota } from './kernel-quota.ts';
import type { QuotaRow } from './repquota.ts';
import type { DiskInodes } from './schema.ts';

export interface Measured {
  readonly bytes: number;
  readonly inodes: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** How long results are cached. */
const TTL_MS = 2000;

/** Disk and inode usage of accounts: from the kernel's quota, otherwise measured and compared with the plan. */
export class AccountUsage {
  readonly #kernel: KernelQuota;
  readonly #measure: (account: Account) => Promise<Measured>;
  readonly #results = new AccountCache<DiskInodes>(TTL_MS);
  readonly #measured: AccountCache<Measured>;

  constructor(kernel: KernelQuota, measuredMs: number, measure: (account: Account) => Promise<Measured>) {
    this.#kernel = kernel;
    this.#measure = measure;
    this.#measured = new AccountCache(measuredMs);
  }

  of(account: Account): DiskInodes | Promise<DiskInodes> {
    return this.#results.get(account, '', async () => {
      const counted = await this.#kernel.of(account);
      if (counted !== undefined) return ofKernel(counted.row, counted.at);
      return ofMeasured(await this.#measured.get(account, '', () => this.#measure(account)), account);
    });
  }
}

function ofKernel(row: QuotaRow, at: number): DiskInodes {
  return {
    date: dateText(at),
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
