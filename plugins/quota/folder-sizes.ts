import { setMaxListeners } from 'node:events';
import type { Account } from '../../kernel/identity/accounts.ts';
import { Folder } from '../../kernel/system/safe-folder.ts';
import type { Metric } from '../../kernel/plugin-api/points/metric.ts';
import { AccountLimiter } from '../../kernel/concurrency/account-limiter.ts';
import { measure, type DuOptions } from './du.ts';
import { SingleFlight } from './single-flight.ts';
import type { Measured } from './account-usage.ts';

/** Walks of one account that may wait for their turn. */
const WAITING = 32;

/** Measures folders of accounts: few at a time, each once for all who ask, and none that nobody waits for. */
export class FolderSizes {
  readonly #du: DuOptions;
  readonly #limiter: AccountLimiter;
  readonly #sizes = new SingleFlight<number>();
  readonly #closing = new AbortController();
  #walks = 0;

  constructor(walks: number, du: DuOptions) {
    this.#du = du;
    setMaxListeners(0, this.#closing.signal); // as many as there are accounts waiting
    this.#limiter = new AccountLimiter({ atOnce: walks, perAccount: 1, waiting: WAITING });
  }

  /** Bytes on disk of a folder. Errors: 404 `folder_not_found`, 503. */
  bytes(account: Account, components: readonly string[], signal: AbortSignal): Promise<number> {
    return this.#sizes.join(account, components.join('/'), signal, async (ending) => {
      return (
        (await this.#walk(account, components, ending, (folder) => measure(folder, 'bytes', this.#du, ending))) ?? 0
      );
    });
  }

  /** Of all files of an account. It goes on when the client is gone, because the figures are kept for the next. */
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
      {
        name: 'hostkeep_folder_walks_total',
        help: 'Folders measured',
        type: 'counter',
        samples: [{ value: this.#walks }],
      },
      {
        name: 'hostkeep_folder_walks',
        help: 'Folders being measured, or waiting for it',
        type: 'gauge',
        samples: [
          { labels: { state: 'running' }, value: this.#limiter.running },
          { labels: { state: 'waiting' }, value: this.#limiter.waiting },
        ],
      },
    ];
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#sizes.close();
  }

  /** `undefined` for the root of an account that has no files yet. */
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
