import type { Account } from '../../kernel/identity/accounts/account.ts';
import { AccountCache } from '../../kernel/kit/waiting/account-cache.ts';
import type { AccountJobs } from '../../kernel/kit/jobs/account-jobs.ts';
import { defineJob } from '../../kernel/kit/jobs/job.ts';
import { AccountDatabases, byName, type DatabaseSource } from './account-databases.ts';
import type listFiles from './sqlite-files-job.ts';

/** Folder of an account's SQLite files, in its files root. */
export const SQLITE_FOLDER = 'databases';
const LIST_FILES = defineJob<typeof listFiles>({
  beside: import.meta.url,
  script: 'sqlite-files-job',
  timeoutMs: 10_000,
  tooMuch: 'databases_unavailable',
});
const KEEP_MS = 3000;

/** The default without a server: each SQLite file in the account's folder is a database with the file's name. */
export class SqliteFiles implements DatabaseSource {
  /** How many each account had when it was last looked for, by the account's id. */
  readonly counts = new Map<number, number>();
  readonly #jobs: AccountJobs;
  readonly #cache = new AccountCache<AccountDatabases>(KEEP_MS);

  constructor(jobs: AccountJobs) {
    this.#jobs = jobs;
  }

  databasesOf(account: Account): AccountDatabases | Promise<AccountDatabases> {
    return this.#cache.get(account, '', async () => {
      const files = await this.#jobs.run(LIST_FILES, account, SQLITE_FOLDER);
      this.counts.set(account.id, files.length);
      return new AccountDatabases(files.toSorted(byName), [], Date.now());
    });
  }
}
