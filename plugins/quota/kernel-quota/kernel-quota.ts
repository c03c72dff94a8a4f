import { stat } from 'node:fs/promises';
import { AccountCache } from '../../../kernel/kit/waiting/account-cache.ts';
import { Polled } from '../../../kernel/kit/waiting/polled.ts';
import type { AccountJobs } from '../../../kernel/kit/jobs/account-jobs.ts';
import { defineJob } from '../../../kernel/kit/jobs/job.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { errorMessage } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { findQuotaMounts, type QuotaVerbs } from '../privileged.ts';
import type { QuotaRow } from './repquota.ts';
import type rootOwner from './root-job.ts';
import type { QuotaConfig } from '../schema.ts';

export interface KnownQuota {
  readonly row: QuotaRow;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface MountReport {
  readonly mount: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly rows: ReadonlyMap<string, QuotaRow>;
}

/** Returns the user id that an account has at this node; `undefined` where accounts have none. */
export type UidOf = (account: Pick<Account, 'id'>) => number | undefined;

const ROOT_OWNER = defineJob<typeof rootOwner>({
  beside: import.meta.url,
  script: 'root-job',
  timeoutMs: 5000,
  tooMuch: 'files_unavailable',
});
/** How long the file system and the owner of a files root are remembered. */
const ROOT_MS = 30_000;
/** How long a report is used when it cannot be renewed; after that, usage is measured. */
const MAX_AGE_MS = 300_000;
/** How long reports are renewed after the last request. */
const IDLE_MS = 60_000;

/** The kernel's quotas of all users, one report for each file system, shared by all requests. */
export class KernelQuota {
  readonly #config: QuotaConfig;
  readonly #verbs: QuotaVerbs;
  readonly #jobs: AccountJobs;
  readonly #log: Log;
  readonly #roots = new AccountCache<Awaited<ReturnType<typeof rootOwner>>>(ROOT_MS);
  readonly #reports = new Map<number, MountReport>();
  /** Read at an interval while there are requests, which wait only for the first reading and one that is overdue. */
  readonly #newest: Polled<unknown>;
  #problems = '';

  constructor(config: QuotaConfig, verbs: QuotaVerbs, jobs: AccountJobs, log: Log) {
    this.#config = config;
    this.#verbs = verbs;
    this.#jobs = jobs;
    this.#log = log;
    const everyMs = config.interval_seconds * 1000;
    this.#newest = new Polled<unknown>({
      measure: () => this.read().catch((error: unknown) => log.error({ err: error }, 'cannot read the mount table')),
      freshMs: 2 * everyMs,
      everyMs,
      idleMs: IDLE_MS + everyMs,
    });
  }

  /**
   * Returns the quota of an account on the file system of its files: that of the user with its name, otherwise of the
   * owner of its files root. `undefined` where there is neither; root's figures belong to no account.
   */
  async of(account: Account): Promise<KnownQuota | undefined> {
    const [{ dev, uid }] = await Promise.all([
      this.#roots.get(account, '', () => this.#jobs.run(ROOT_OWNER, account, null)),
      this.#newest.read(),
    ]);
    const report = this.#reports.get(dev);
    if (report === undefined || Date.now() - report.at > MAX_AGE_MS) return undefined;
    const named = account.username === 'root' ? undefined : report.rows.get(account.username);
    const row = named ?? (uid === 0 ? undefined : report.rows.get(`#${uid}`));
    return row && { row, at: report.at };
  }

  /** Resolves with what reports that are read now and then have of accounts, see `latest`. */
  async known(uidOf: UidOf): Promise<(account: Account) => KnownQuota | undefined> {
    await this.#newest.read();
    return this.latest(uidOf);
  }

  /** Returns what reports have of accounts that are there already, see `latest`; newer ones are read for who asks later. */
  atHand(uidOf: UidOf): (account: Account) => KnownQuota | undefined {
    this.#newest.peek();
    return this.latest(uidOf);
  }

  /**
   * Returns what the newest reports have of an account, without a look at its files root: the quota of the user with its name,
   * or with the user id that it has here.
   */
  latest(uidOf: UidOf): (account: Account) => KnownQuota | undefined {
    const reports = [...this.#reports.values()].filter(({ at }) => Date.now() - at <= MAX_AGE_MS);
    return (account) => {
      const report = this.reportFor(account, reports);
      const named = account.username === 'root' ? undefined : report?.rows.get(account.username);
      const row = named ?? report?.rows.get(`#${uidOf(account)}`);
      return row && report && { row, at: report.at };
    };
  }

  /** Returns the report on the file system that has the files of an account, by the path of its files root. */
  reportFor({ filesRoot }: Account, reports: readonly MountReport[]): MountReport | undefined {
    const covers = ({ mount }: MountReport) => `${filesRoot}/`.startsWith(mount.endsWith('/') ? mount : `${mount}/`);
    return reports.filter(covers).toSorted((a, b) => b.mount.length - a.mount.length)[0];
  }

  /** Reads all reports now; returns the problems, and logs them when they change. */
  async read(): Promise<{ readonly reports: readonly MountReport[]; readonly problems: readonly string[] }> {
    const [reports, problems]: [MountReport[], string[]] = [[], []];
    for (const mount of await this.mounts()) {
      try {
        const [{ dev }, report] = [await stat(mount), await this.#report(mount)];
        this.#reports.set(dev, report);
        reports.push(report);
      } catch (error) {
        problems.push(`${mount}: ${errorMessage(error)}`);
      }
    }
    const text = problems.join('; ');
    if (text !== '' && text !== this.#problems)
      this.#log.warn({ problems }, 'cannot read kernel quotas; measuring usage instead');
    this.#problems = text;
    return { reports, problems };
  }

  mounts(): Promise<readonly string[]> {
    return findQuotaMounts(this.#config.mounts);
  }

  close(): Promise<void> {
    return this.#newest.close();
  }

  async #report(mount: string): Promise<MountReport> {
    const at = Date.now();
    const rows = await this.#verbs.report(mount);
    return { mount, at, rows: new Map(rows.map((row) => [row.user, row])) };
  }
}
