import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkerPool } from '../../kernel/concurrency/worker-pool.ts';
import { HttpError } from '../../kernel/errors.ts';
import type { Account, Accounts } from '../../kernel/identity/accounts.ts';
import { ready, type Reply } from '../../kernel/plugin-api/reply.ts';
import { clientPath, componentsOf } from '../../kernel/system/safe-folder.ts';
import type { SearchResult } from './indexer/account-index.ts';
import type { Hit, SearchQuery } from './indexer/index-search.ts';
import type { IndexerRequest, IndexerSettings, IndexerStatus } from './indexer/indexer-worker.ts';
import { cleanIndexFolder } from './name-index/index-file.ts';
import type { FileHits, FilesQuery, FolderHits, FoldersQuery, SearchConfig } from './schema.ts';

/** Searches in the thread at once, and searches that wait for it. */
const AT_ONCE = 32;
const WAITING = 1000;
/** A thread that takes longer hangs in the file system. */
const TIMEOUT_MS = 30_000;
/** A walk creates many short-lived names; a larger young generation would only make the thread larger. */
const YOUNG_MIB = 4;

/** Searches of files and folders, answered by the thread that holds the indexes. */
export class FileSearch {
  readonly #virtualRoot: string;
  readonly #folder: string;
  readonly #indexer: WorkerPool<IndexerRequest, SearchResult | IndexerStatus | undefined>;

  constructor(config: SearchConfig, dataDir: string, virtualRoot: string) {
    this.#virtualRoot = virtualRoot;
    this.#folder = join(dataDir, 'search');
    const workerData: IndexerSettings = {
      folder: this.#folder,
      memoryBytes: config.memory_mib * 2 ** 20,
      maxWatches: Math.floor(watchLimit() * config.watch_share),
      maxNames: config.max_names,
      sweepMs: config.sweep_seconds * 1000,
    };
    this.#indexer = new WorkerPool({
      beside: import.meta.url,
      script: 'indexer/indexer-worker',
      atOnce: AT_ONCE,
      waiting: WAITING,
      timeoutMs: TIMEOUT_MS,
      worker: { name: 'search', workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB } },
    });
  }

  /** Errors: 400 `invalid_path`, 404 `folder_not_found`. */
  files(account: Account, query: FilesQuery): Promise<Reply> {
    return this.#search(account, 'files', query, ({ path, sizeBytes, mtimeMs }): FileHits[number] => ({
      path: clientPath(path, this.#virtualRoot),
      size: sizeBytes,
      modified: new Date(mtimeMs).toISOString().slice(0, 19),
    }));
  }

  /** Errors: 400 `invalid_path`, 404 `folder_not_found`. */
  folders(account: Account, query: FoldersQuery): Promise<Reply> {
    return this.#search(account, 'folders', { ...query, ext: '' }, ({ path }): FolderHits[number] => ({
      name: path.at(-1) ?? '',
      path: clientPath(path, this.#virtualRoot),
    }));
  }

  /** Resolves to `undefined` before the first search. */
  async status(): Promise<IndexerStatus | undefined> {
    return this.#indexer.isStarted ? ((await this.#indexer.ask({ kind: 'status' })) as IndexerStatus) : undefined;
  }

  /** Removes the indexes of deleted accounts. */
  clean(accounts: Accounts): Promise<void> {
    return cleanIndexFolder(this.#folder, async (id) => (await accounts.byId(id)) !== undefined);
  }

  /** Saves the indexes, and ends the thread. */
  async close(): Promise<void> {
    // changes that are not saved are found again by a walk
    if (this.#indexer.isStarted) await this.#indexer.ask({ kind: 'close' }).catch(() => undefined);
    await this.#indexer.close();
  }

  async #search(
    account: Account,
    kind: SearchQuery['kind'],
    { q, ext, folder, limit }: FilesQuery,
    describe: (hit: Hit) => unknown,
  ): Promise<Reply> {
    const components = componentsOf(folder, this.#virtualRoot);
    const result = (await this.#indexer.ask({
      kind: 'search',
      accountId: account.id,
      filesRoot: account.filesRoot,
      query: { kind, text: q, extension: ext.replace(/^\./, ''), folder: components, limit },
    })) as SearchResult;
    if (result.hits === undefined && components.length > 0)
      throw new HttpError('folder_not_found', 'there is no such folder');
    return ready((result.hits ?? []).map(describe), {
      headers: { 'X-Hostkeep-Index': result.isReady ? 'ready' : 'building' },
    });
  }
}

/** How many folders all processes of this system user may watch. */
export function watchLimit(): number {
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8')) || 0;
  } catch {
    return 0;
  }
}
