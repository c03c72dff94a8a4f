import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Finding } from '../../../kernel/contract/points/finding.ts';
import { errorMessage } from '../../../kernel/errors.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { AttemptPart } from '../../../kernel/kit/waiting/reconciling.ts';
import type { KernelQuota, MountReport, UidOf } from '../kernel-quota/kernel-quota.ts';
import type { AccountLimits, QuotaVerbs } from '../privileged.ts';
import type { QuotaRow } from '../kernel-quota/repquota.ts';

const KIB_IN_MIB = 1024;

/** Limits that a file system does not keep yet; as many as are set at a time. */
interface LimitsOfMount {
  readonly mount: string;
  readonly limits: readonly AccountLimits[];
}

/** Has the kernel keep the disk space and the inodes of plans, for accounts with user ids on file systems with quotas. */
export class PlanLimits {
  readonly #host: Pick<Host, 'identity' | 'log'>;
  readonly #kernel: KernelQuota;
  readonly #verbs: QuotaVerbs;
  readonly #uidOf: UidOf;

  constructor(host: Pick<Host, 'identity' | 'log'>, kernel: KernelQuota, verbs: QuotaVerbs, uidOf: UidOf) {
    this.#host = host;
    this.#kernel = kernel;
    this.#verbs = verbs;
    this.#uidOf = uidOf;
  }

  /** Sets what differs from the plans. */
  async reconcile(attempt: AttemptPart): Promise<void> {
    let count = 0;
    for await (const { mount, limits } of this.#differences())
      await attempt(`storage limits at ${mount}`, async () => {
        await this.#verbs.limit({ mount, limits });
        count += limits.length;
      });
    if (count > 0) this.#host.log.info({ count }, "plans' limits of storage were set");
  }

  /** Says whether the file systems keep what the plans say; nothing where none counts. */
  async findings(): Promise<Finding[]> {
    const name = 'limits of plans';
    if ((await this.#kernel.mounts()).length === 0) return [];
    try {
      let differing = 0;
      for await (const { limits } of this.#differences()) differing += limits.length;
      if (differing === 0) return [{ name, ok: true, detail: 'the file systems keep the storage limits of all plans' }];
      const detail = `accounts whose storage limits no file system keeps yet: ${differing}`;
      const remedy = 'start the server, which sets them within a minute, and read in its log what it could not';
      return [{ name, ok: false, isWarning: true, detail, remedy }];
    } catch (error) {
      return [{ name, ok: false, isWarning: true, detail: errorMessage(error), remedy: 'see that the store answers' }];
    }
  }

  async *#differences(): AsyncGenerator<LimitsOfMount> {
    const { reports } = await this.#kernel.read();
    if (reports.length === 0) return;
    for await (const accounts of this.#host.identity.accounts.pagesOfHere())
      for (const report of reports) {
        const there = accounts.filter((account) => this.#kernel.reportFor(account, reports) === report);
        const limits = there.flatMap((account) => this.#difference(account, report) ?? []);
        if (limits.length > 0) yield { mount: report.mount, limits };
      }
  }

  #difference(account: Account, { rows }: MountReport): AccountLimits | undefined {
    const uid = this.#uidOf(account);
    if (uid === undefined) return undefined;
    const { id, username, plan } = account;
    const [mib, inodes] = [plan?.limits['disk_limit_mib'] ?? 0, plan?.limits['inodes_limit'] ?? 0];
    return keeps(rows.get(`#${uid}`), mib * KIB_IN_MIB, inodes)
      ? undefined
      : { account: { id, username }, mib, inodes };
  }
}

/** A user who has nothing and no limits is in no report. */
function keeps(row: QuotaRow | undefined, blocks: number, files: number): boolean {
  const { blocksSoft = 0, blocksHard = 0, filesSoft = 0, filesHard = 0 } = row ?? {};
  return blocksSoft === blocks && blocksHard === blocks && filesSoft === files && filesHard === files;
}
