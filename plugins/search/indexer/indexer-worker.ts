/** The thread that holds the indexes of all accounts. */
import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { serveRequests } from '../../../kernel/concurrency/worker-script.ts';
import { indexFile } from '../name-index/index-file.ts';
import { AccountIndex, type SearchResult } from './account-index.ts';
import type { SearchQuery } from './index-search.ts';
import { walkCount } from './tree-walk.ts';
import { WatchBudget } from './watches.ts';

export interface IndexerSettings {
  /** The folder of the index files. */
  readonly folder: string;
  readonly memoryBytes: number;
  readonly maxWatches: number;
  readonly maxNames: number;
  readonly sweepMs: number;
}
export type IndexerRequest =
  | { readonly kind: 'search'; readonly accountId: number; readonly filesRoot: string; readonly query: SearchQuery }
  | { readonly kind: 'status' | 'close' };
export interface IndexerStatus {
  readonly indexes: number;
  readonly files: number;
  readonly watches: number;
  readonly memoryBytes: number;
  readonly indexesBuilt: number;
  readonly indexesLoaded: number;
  readonly foldersListed: number;
  readonly failures: number;
}

const SAVE_MS = 60_000;
const settings = workerData as IndexerSettings;
const budget = new WatchBudget(settings.maxWatches);
/** By account, the least recently used first. */
const indexes = new Map<number, AccountIndex>();
const totals = { indexesBuilt: 0, indexesLoaded: 0, failures: 0 };
/** The last build in the queue. */
let building: Promise<void> = Promise.resolve();

setPriority(0, 5); // on Linux this lowers the priority of the thread, not of the process
setInterval(() => {
  for (const index of indexes.values()) index.save();
}, SAVE_MS).unref();

serveRequests<IndexerRequest, SearchResult | IndexerStatus | undefined>((request) => {
  if (request.kind === 'search') return indexFor(request.accountId, request.filesRoot).search(request.query);
  if (request.kind === 'status') return status();
  for (const index of indexes.values()) index.close();
  indexes.clear();
  return undefined;
});

function indexFor(accountId: number, filesRoot: string): AccountIndex {
  let index = indexes.get(accountId);
  if (index !== undefined && index.filesRoot !== filesRoot) {
    index.close();
    index = undefined;
  }
  index ??= openIndex(accountId, filesRoot);
  indexes.delete(accountId);
  indexes.set(accountId, index);
  evict();
  return index;
}

function openIndex(accountId: number, filesRoot: string): AccountIndex {
  const { maxNames, sweepMs, folder } = settings;
  const file = indexFile(folder, accountId);
  const onFailure = () => void (totals.failures += 1);
  const index = new AccountIndex({ file, filesRoot, maxNames, sweepMs, budget, onFailure });
  if (index.load()) totals.indexesLoaded += 1;
  else
    building = building
      .then(() => index.build())
      .then(() => void (totals.indexesBuilt += 1), onFailure)
      .then(evict);
  return index;
}

/** Drops the least recently used indexes beyond the memory limit, but never the newest. They stay on disk. */
function evict(): void {
  let sizeBytes = memoryBytes();
  const newest = [...indexes.keys()].at(-1);
  for (const [accountId, index] of indexes) {
    if (sizeBytes <= settings.memoryBytes || accountId === newest) return;
    if (!index.isReady) continue;
    sizeBytes -= index.sizeBytes;
    index.close();
    indexes.delete(accountId);
  }
}

function memoryBytes(): number {
  return [...indexes.values()].reduce((total, index) => total + index.sizeBytes, 0);
}

function status(): IndexerStatus {
  const counts = [...indexes.values()].map((index) => index.counts);
  return {
    indexes: indexes.size,
    files: counts.reduce((total, { files }) => total + files, 0),
    watches: counts.reduce((total, { watches }) => total + watches, 0),
    memoryBytes: memoryBytes(),
    foldersListed: walkCount.listed,
    ...totals,
  };
}
