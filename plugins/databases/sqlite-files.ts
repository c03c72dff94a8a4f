import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { AccountCache } from '../../kernel/kit/waiting/account-cache.ts';
import { defineJob } from '../../kernel/kit/jobs/job.ts';
import { AccountDatabases, byName, type DatabaseSource } from './account-databases.ts';
import type listFiles from './sqlite-files-job.ts';
import { keepCount, readCounts, type FileCount } from './store.ts';

/** Folder of an account's SQLite files, in its files root. */
export const SQLITE_FOLDER = 'databases';
const LIST_FILES = defineJob<typeof listFiles>({
  beside: import.meta.url,
  script: 'sqlite-files-job',
  timeoutMs: 10_000,
  tooMuch: 'databases_unavailable',
});
const KEEP_MS = 3000;
/** A count that has not changed is written again after this time. */
const REST_MS = 600_000;

/** The default without a server: each SQLite file in the account's folder is a database with the file's name. */
export class SqliteFiles implements DatabaseSource {
  readonly #host: Pick<Host, 'jobs' | 'local' | 'identity' | 'log'>;
  readonly #kept = new Map<number, FileCount>();
  #writing = Promise.resolve();
  readonly #cache = new AccountCache<AccountDatabases>(KEEP_MS);

  constructor(host: Pick<Host, 'jobs' | 'local' | 'identity' | 'log'>) {
    this.#host = host;
  }

  /** Resolves with how many accounts had when they were last looked for, by the account's id. */
  counts(accounts: readonly Account[]): Promise<Map<number, FileCount>> {
    return readCounts(
      this.#host.local,
      accounts.map(({ id }) => id),
    );
  }

  databasesOf(account: Account): AccountDatabases | Promise<AccountDatabases> {
    return this.#cache.get(account, '', async () => {
      const files = await this.#host.jobs.run(LIST_FILES, account, SQLITE_FOLDER);
      this.#keep(account, { files: files.length, at: Date.now() });
      return new AccountDatabases(files.toSorted(byName), [], Date.now());
    });
  }

  close(): Promise<void> {
    return this.#writing;
  }

  /** Writes a count that is news, later: nobody waits for it. */
  #keep(account: Account, count: FileCount): void {
    const kept = this.#kept.get(account.id);
    if (kept?.files === count.files && count.at - kept.at < REST_MS) return;
    this.#kept.set(account.id, count);
    this.#writing = this.#writing
      .then(() => keepCount(this.#host, account, count))
      .catch((err: unknown) => {
        this.#kept.delete(account.id);
        this.#host.log.debug({ account: account.username, err }, 'cannot keep the number of SQLite files');
      });
  }
}
