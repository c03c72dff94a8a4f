import { readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Account, Accounts } from '../../kernel/identity/accounts.ts';
import { HttpError } from '../../kernel/errors.ts';
import { clientPath, componentsOf } from '../../kernel/system/safe-folder.ts';
import { ready, type Reply } from '../../kernel/plugin-api/reply.ts';
import { WorkerPool } from '../../kernel/concurrency/worker-pool.ts';
import type { SearchResult } from './indexer/account-index.ts';
import type { IndexerSettings, IndexerRequest, IndexerStatus } from './indexer/indexer-worker.ts';
import type { Hit } from './indexer/index-search.ts';
import type { FileHits, FolderHits, SearchConfig } from './schema.ts';

/** How many searches the thread has at a time, and how many wait for it. */
const AT_ONCE = 32;
const WAITING = 1000;
/** A thread that gives no answer for so long hangs in the file system. */
const TIMEOUT_MS = 30_000;

/** A walk makes many names that are needed only for a moment; more room for those only makes the thread larger. */
const YOUNG_MIB = 4;

export interface SearchRequest {
  readonly q: string;
  readonly ext?: string;
  readonly folder: string;
  readonly limit: number;
}

/** Searches of files and folders, answered by the thread that holds the indexes. */
export class FileSearch {
  readonly #virtualRoot: string;
  readonly #folder: string;
  readonly #thread: WorkerPool<IndexerRequest, SearchResult | IndexerStatus | undefined>;

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
    this.#thread = new WorkerPool({
      beside: import.meta.url,
      script: 'indexer/indexer-worker',
      atOnce: AT_ONCE,
      waiting: WAITING,
      timeoutMs: TIMEOUT_MS,
      worker: { name: 'search', workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB } },
    });
  }

  /** Errors: 400 `invalid_path`, 404 `folder_not_found`. */
  files(account: Account, asked: SearchRequest): Promise<Reply> {
    return this.#search(account, 'files', asked, ({ path, sizeBytes, mtimeMs }): FileHits[number] => ({
      path: clientPath(path, this.#virtualRoot),
      size: sizeBytes,
      modified: new Date(mtimeMs).toISOString().slice(0, 19),
    }));
  }

  folders(account: Account, asked: SearchRequest): Promise<Reply> {
    return this.#search(account, 'folders', asked, ({ path }): FolderHits[number] => ({
      name: path.at(-1) ?? '',
      path: clientPath(path, this.#virtualRoot),
    }));
  }

  /** `undefined` while nobody has searched yet. */
  async status(): Promise<IndexerStatus | undefined> {
    return this.#thread.isStarted ? ((await this.#thread.ask({ kind: 'status' })) as IndexerStatus) : undefined;
  }

  /** Removes indexes of accounts that are gone. */
  async clean(accounts: Accounts): Promise<void> {
    for (const name of filesOf(this.#folder)) {
      const id = /^(\d+)\.idx$/.exec(name)?.[1];
      if (id === undefined || (await accounts.byId(Number(id))) === undefined) unlinkSync(join(this.#folder, name));
    }
  }

  /** Writes what changed, and ends the thread. */
  async close(): Promise<void> {
    if (this.#thread.isStarted) await this.#thread.ask({ kind: 'save' }).catch(() => undefined); // what was not written is found again by a walk
    await this.#thread.close();
  }

  async #search(
    account: Account,
    kind: 'files' | 'folders',
    { q, ext = '', folder, limit }: SearchRequest,
    describe: (hit: Hit) => unknown,
  ): Promise<Reply> {
    const components = componentsOf(folder, this.#virtualRoot);
    const answer = (await this.#thread.ask({
      kind: 'search',
      accountId: account.id,
      filesRoot: account.filesRoot,
      query: { kind, text: q, extension: ext, folder: components, limit },
    })) as SearchResult;
    if (answer.hits === undefined && components.length > 0)
      throw new HttpError('folder_not_found', 'there is no such folder');
    return ready((answer.hits ?? []).map(describe), {
      headers: { 'X-Hostkeep-Index': answer.isReady ? 'ready' : 'building' },
    });
  }
}

/** Folders that all processes of this user may watch together. */
export function watchLimit(): number {
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8')) || 0;
  } catch {
    return 0;
  }
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // there is none before the first search
  }
}
