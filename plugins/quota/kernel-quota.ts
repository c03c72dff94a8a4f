import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Account } from '../../kernel/identity/accounts.ts';
import { messageOf, retryLater } from '../../kernel/errors.ts';
import { isMissing } from '../../kernel/system/safe-folder.ts';
import type { Log } from '../../kernel/log.ts';
import { quotaMounts, RepquotaParser, type QuotaRow } from './repquota.ts';
import { runProgram } from './run-program.ts';
import type { QuotaConfig } from './schema.ts';

export interface Report {
  readonly mount: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly rows: ReadonlyMap<string, QuotaRow>;
}

const REPORT_MS = 10_000;
/** A report that could not be renewed stands so long; after that usage is measured. */
const STANDS_MS = 300_000;
/** The reading goes on so long after it was asked for last. */
const IDLE_MS = 60_000;

/** The kernel's quotas of all users, file system by file system, read together and kept for all who ask. */
export class KernelQuota {
  readonly #config: QuotaConfig;
  readonly #log: Log;
  readonly #reports = new Map<number, Report>();
  readonly #closing = new AbortController();
  #reading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #askedAt = 0;
  #triedAt = -Infinity;
  #problems = '';

  constructor(config: QuotaConfig, log: Log) {
    this.#config = config;
    this.#log = log;
  }

  /**
   * What the kernel counts for an account where its files lie: for the user of its name, else for the one that owns
   * its files root. `undefined` where the kernel counts nothing for either; root's figures are nobody's.
   */
  async of(account: Account): Promise<{ readonly row: QuotaRow; readonly at: number } | undefined> {
    const [{ dev, uid }] = await Promise.all([fileSystemOf(account.filesRoot), this.#fresh()]);
    const report = this.#reports.get(dev);
    if (report === undefined || Date.now() - report.at > STANDS_MS) return undefined;
    const named = account.username === 'root' ? undefined : report.rows.get(account.username);
    const row = named ?? (uid === 0 ? undefined : report.rows.get(`#${uid}`));
    return row && { row, at: report.at };
  }

  /** Reads all reports now; what cannot be read is logged when it changes, and returned. */
  async read(): Promise<{ readonly reports: readonly Report[]; readonly problems: readonly string[] }> {
    const [reports, problems]: [Report[], string[]] = [[], []];
    for (const mount of await this.mounts()) {
      try {
        const [{ dev }, report] = [await stat(mount), await this.#report(mount)];
        this.#reports.set(dev, report);
        reports.push(report);
      } catch (error) {
        problems.push(`${mount}: ${messageOf(error)}`);
      }
    }
    const text = problems.join('; ');
    if (text !== '' && text !== this.#problems)
      this.#log.warn({ problems }, 'kernel quotas cannot be read; usage is measured instead');
    this.#problems = text;
    return { reports, problems };
  }

  async mounts(): Promise<readonly string[]> {
    return this.#config.mounts.length > 0
      ? this.#config.mounts
      : quotaMounts(await readFile('/proc/self/mountinfo', 'utf8'));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.#reading;
  }

  /** Starts the reading at intervals with the first who asks; nobody after that waits, unless a report is late. */
  #fresh(): Promise<void> | undefined {
    const intervalMs = this.#config.interval_seconds * 1000;
    this.#askedAt = performance.now();
    this.#timer ??= setInterval(() => {
      if (performance.now() - this.#askedAt < IDLE_MS + intervalMs) return void this.#readOnce();
      clearInterval(this.#timer);
      this.#timer = undefined;
    }, intervalMs).unref();
    return performance.now() - this.#triedAt < 2 * intervalMs ? undefined : this.#readOnce();
  }

  #readOnce(): Promise<void> {
    this.#reading ??= this.read()
      .catch((error: unknown) => this.#log.error({ err: error }, 'the mount table cannot be read'))
      .then(() => {
        this.#triedAt = performance.now();
        this.#reading = undefined;
      });
    return this.#reading;
  }

  async #report(mount: string): Promise<Report> {
    const at = Date.now();
    const rows = new Map<string, QuotaRow>();
    const parser = new RepquotaParser();
    let rest = '';
    const { code, endedBy, stderr } = await runProgram(this.#config.repquota, ['-u', '-p', '-O', 'csv', '--', mount], {
      signal: this.#closing.signal,
      timeoutMs: REPORT_MS,
      onOutput: (text) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const row = parser.row(line);
          if (row !== undefined) rows.set(row.user, row);
        }
      },
    });
    // The exit code does not tell: it is not 0 too when another file system has a problem.
    if (endedBy !== null || !parser.hasReport)
      throw new Error(stderr.trim() || `no report within ${REPORT_MS / 1000} s, ended with ${endedBy ?? code}`);
    return { mount, at, rows };
  }
}

/** File system and owner of a folder, or of the nearest one above that is there. */
async function fileSystemOf(path: string): Promise<{ dev: number; uid: number }> {
  try {
    return await stat(path);
  } catch (error) {
    if (!isMissing(error))
      throw retryLater('files_unavailable', 'the files cannot be reached at the moment', 30, error);
    return { ...(await fileSystemOf(dirname(path))), uid: 0 }; // whoever owns that is not this account
  }
}
