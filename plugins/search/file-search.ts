import { readFileSync } from 'node:fs';
import { fail } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { AccountJobs } from '../../kernel/kit/jobs/account-jobs.ts';
import type { JobPool } from '../../kernel/kit/jobs/job-pool.ts';
import { defineJob } from '../../kernel/kit/jobs/job.ts';
import { counter, gauge, type Metric } from '../../kernel/contract/points/metric.ts';
import { reply, type Reply } from '../../kernel/contract/reply.ts';
import { pathComponents } from '../../kernel/kit/files/client-path.ts';
import type { SearchQuery } from './indexer/index-search.ts';
import type search from './indexer/search-job.ts';
import type { IndexSettings, IndexStatus } from './indexer/search-job.ts';
import type { FilesQuery, FoldersQuery, SearchConfig } from './schema.ts';

const SEARCH = defineJob<typeof search>({
  beside: import.meta.url,
  script: 'indexer/search-job',
  timeoutMs: 10_000,
  tooMuch: 'overloaded',
});
type Query = FoldersQuery & Partial<Pick<FilesQuery, 'ext'>>;

/** How long the process of an account keeps its index in memory after the last search. */
const IDLE_MS = 120_000;
/** Most watches of an account. Each takes 1.1 KB, and the folders that changed long ago are compared in 5 µs. */
const MOST_WATCHES = 2048;
/** To list this many names and to take them into the index takes less than a second of processor time. */
const MOST_IN_FOLDER = 100_000;
/** The process needs several times the memory of its index: for what grows, and while a new one replaces it. */
const MEMORY_PARTS = 5;
/** An index file of millions of names. */
const FILE_MIB = 2048;

/** Searches of files and folders, answered by a process for each account, which holds its index. */
export class FileSearch {
  readonly #settings: IndexSettings;
  readonly #virtualRoot: string;
  readonly #jobs: AccountJobs;
  readonly #pool: JobPool;
  /** By account, as of its last search. */
  readonly #statuses = new Map<number, IndexStatus>();
  readonly #totals = { indexesBuilt: 0, indexesLoaded: 0, foldersListed: 0, failures: 0 };

  constructor(config: SearchConfig, jobs: AccountJobs, virtualRoot: string) {
    this.#settings = {
      maxNames: config.max_names,
      maxInFolder: MOST_IN_FOLDER,
      maxBytes: (config.memory_mib * 2 ** 20) / MEMORY_PARTS,
      sweepMs: config.sweep_seconds * 1000,
      // a share for each process, so that no account can take the watches of others
      maxWatches: Math.min(MOST_WATCHES, Math.floor((watchLimit() * config.watch_share) / config.processes)),
    };
    this.#virtualRoot = virtualRoot;
    this.#jobs = jobs;
    this.#pool = jobs.open({
      name: 'search',
      processes: config.processes,
      idleMs: IDLE_MS,
      isResident: true,
      limits: { memoryMib: config.memory_mib, fileMib: FILE_MIB },
    });
  }

  /** Errors: 400 `invalid_path`, 404 `folder_not_found`. */
  async find(account: Account, kind: SearchQuery['kind'], { q, folder, limit, ...rest }: Query): Promise<Reply> {
    const components = pathComponents(folder, this.#virtualRoot);
    const extension = (rest.ext ?? '').replace(/^\./, '');
    const { bytes, output } = await this.#pool.run(SEARCH, this.#jobs.ownerOf(account, { state: 'search' }), {
      query: { kind, text: q, extension, folder: components, limit },
      virtualRoot: this.#virtualRoot,
      settings: this.#settings,
    });
    this.#statuses.set(account.id, output.status);
    const totals = this.#totals;
    for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += output.status[name];
    if (!output.isFound && components.length > 0) throw fail.folder_not_found('there is no such folder');
    return reply(bytes, { headers: { 'X-Hostkeep-Index': output.source } });
  }

  metrics(): Metric[] {
    for (const id of this.#statuses.keys()) if (!this.#pool.has(id)) this.#statuses.delete(id);
    const sum = (name: 'files' | 'watches' | 'memoryBytes') =>
      [...this.#statuses.values()].reduce((total, status) => total + status[name], 0);
    const { indexesBuilt, indexesLoaded, foldersListed, failures } = this.#totals;
    return [
      gauge('hostkeep_search_indexes', 'Accounts whose index is in memory', this.#pool.processes, 'sum'),
      gauge('hostkeep_search_indexed_files', 'Files in the indexes in memory', sum('files'), 'sum'),
      gauge('hostkeep_search_watched_folders', 'Folders watched with inotify', sum('watches'), 'sum'),
      gauge('hostkeep_search_memory_bytes', 'Memory of indexes and watches', sum('memoryBytes'), 'sum'),
      counter('hostkeep_search_indexes_built_total', 'Indexes built by a walk', indexesBuilt),
      counter('hostkeep_search_indexes_loaded_total', 'Indexes loaded from disk', indexesLoaded),
      counter('hostkeep_search_folders_listed_total', 'Folders listed', foldersListed),
      counter('hostkeep_search_failures_total', 'Failures of indexing', failures),
    ];
  }

  /** Saves the indexes, and ends the processes. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** How many folders all processes of this system user may watch. */
export function watchLimit(): number {
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8')) || 0;
  } catch {
    return 0; // a kernel without inotify
  }
}
