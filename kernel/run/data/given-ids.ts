import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withDeadline } from '../../kit/waiting/deadline.ts';
import type { AccountJobs } from '../../kit/jobs/account-jobs.ts';
import type { Store } from '../../store/store.ts';

/** A file system that hangs may not keep a command waiting for good. */
const SCAN_MS = 20_000;

/**
 * The largest id that was ever given to an account, kept outside the store as the name of a file: a store that was put back
 * knows nothing of later accounts, whose files, which belong to their ids, would be those of the next ones.
 */
export class GivenIds {
  readonly #jobs: Pick<AccountJobs, 'newestId'>;
  readonly #folder: string;

  /** `data` is the data folder. */
  constructor(data: string, jobs: Pick<AccountJobs, 'newestId'>) {
    this.#jobs = jobs;
    this.#folder = join(data, 'ids'); // which neither restoring nor going back to an older version replaces
  }

  /**
   * Lets the store give only larger ids from now on. A data folder that has given none is new: then the owners of what is in
   * the files root count. Rejects if these cannot be read.
   */
  async raise(store: Store): Promise<void> {
    const given = this.#given();
    const late = () => new Error('files_root does not answer');
    const last = given ?? (await withDeadline(this.#jobs.newestId(), SCAN_MS, late));
    if (given === undefined) this.record(last);
    const newest = await store.get<{ id: number | null }>('select max(id) as id from accounts');
    if ((newest?.id ?? 0) >= last) return;
    await store.write(async (tx) => {
      const { accounts = 0 } = await store.catalogue.lastIds(tx);
      if (accounts < last) await store.catalogue.setLastId(tx, 'accounts', last);
    });
  }

  /** Called before the account is committed: an id that no account got after all is lost. */
  record(id: number): void {
    const before = this.#files();
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.#folder, String(id)), '', { flush: true });
    for (const name of before.filter((each) => Number(each) < id)) rmSync(join(this.#folder, name), { force: true });
  }

  #given(): number | undefined {
    const ids = this.#files().map(Number);
    return ids.length === 0 ? undefined : Math.max(...ids);
  }

  #files(): string[] {
    try {
      return readdirSync(this.#folder).filter((name) => /^\d+$/.test(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }
}
