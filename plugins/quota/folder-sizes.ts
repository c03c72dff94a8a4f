import { setMaxListeners } from 'node:events';
import type { Account } from '../../kernel/identity/accounts.ts';
import { Folder } from '../../kernel/system/safe-folder.ts';
import { counter, gauge, type Metric } from '../../kernel/plugin-api/points/metric.ts';
import { AccountLimiter } from '../../kernel/concurrency/account-limiter.ts';
import { measure, type DuOptions } from './du.ts';
import { SingleFlight } from './single-flight.ts';
import type { Measured } from './account-usage.ts';

/** Measurements of one account that may wait. */
const WAITING = 32;

/**
 * Measures folders of accounts: a bounded number at once, one measurement for all concurrent requests for a folder, and
 * none that no request waits for.
 */
export class FolderSizes {
  readonly #du: DuOptions;
  readonly #limiter: AccountLimiter;
  readonly #sizes = new SingleFlight<number>();
  readonly #closing = new AbortController();
  #walks = 0;

  constructor(walks: number, du: DuOptions) {
    this.#du = du;
    setMaxListeners(0, this.#closing.signal); // one for each waiting account
    this.#limiter = new AccountLimiter({ atOnce: walks, perAccount: 1, waiting: WAITING });
  }

  /** Returns the bytes on disk of a folder. Errors: 404 `folder_not_found`, 503. */
  bytes(account: Account, components: readonly string[], signal: AbortSignal): Promise<number> {
    return this.#sizes.join(account, components.join('/'), signal, async (ending) => {
      return (
        (await this.#walk(account, components, ending, (folder) => measure(folder, 'bytes', this.#du, ending))) ?? 0
      );
    });
  }

  /** Measures all files of an account. A client that goes away does not abort this, because the result is cached. */
  async all(account: Account): Promise<Measured> {
    const { signal } = this.#closing;
    const at = Date.now();
    const measured = await this.#walk(account, [], signal, async (folder) => ({
      bytes: await measure(folder, 'bytes', this.#du, signal),
      inodes: await measure(folder, 'inodes', this.#du, signal),
      at,
    }));
    return measured ?? { bytes: 0, inodes: 0, at };
  }

  metrics(): Metric[] {
    return [
      counter('hostkeep_folder_walks_total', 'Folders measured', this.#walks),
      gauge('hostkeep_folder_walks', 'Folders being measured or waiting for it', [
        { labels: { state: 'running' }, value: this.#limiter.running },
        { labels: { state: 'waiting' }, value: this.#limiter.waiting },
      ]),
    ];
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#sizes.close();
  }

  /** Resolves with `undefined` for the root of an account that has no files yet. */
  #walk<T>(
    account: Account,
    components: readonly string[],
    signal: AbortSignal,
    work: (folder: Folder) => Promise<T>,
  ): Promise<T | undefined> {
    return this.#limiter.run(account, signal, async () => {
      const folder = await Folder.find(account.filesRoot, components);
      if (folder === undefined) return undefined;
      this.#walks += 1;
      return work(folder).finally(() => folder.close());
    });
  }
}
