/** The thread that holds the indexes of all accounts. */
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { messageOf } from '../../../kernel/errors.ts';
import { serveRequests } from '../../../kernel/concurrency/worker-script.ts';
import { AccountIndex, type SearchResult } from './account-index.ts';
import type { SearchQuery } from './index-search.ts';
import { walkCount } from './tree-walk.ts';
import { WatchBudget } from './watches.ts';

export interface IndexerSettings {
  /** Where indexes are kept. */
  readonly folder: string;
  readonly memoryBytes: number;
  readonly maxWatches: number;
  readonly maxNames: number;
  readonly sweepMs: number;
}
export type IndexerRequest =
  | { readonly kind: 'search'; readonly accountId: number; readonly filesRoot: string; readonly query: SearchQuery }
  | { readonly kind: 'status' | 'save' };
export interface IndexerStatus {
  readonly accounts: number;
  readonly files: number;
  readonly folders: number;
  readonly watches: number;
  readonly memoryBytes: number;
  readonly indexesBuilt: number;
  readonly indexesLoaded: number;
  readonly foldersListed: number;
  readonly failures: number;
  readonly lastFailure: string;
}

const SAVE_MS = 60_000;
const settings = workerData as IndexerSettings;
const budget = new WatchBudget(settings.maxWatches);
/** The one used last is last. */
const indexes = new Map<number, AccountIndex>();
const totals = { indexesBuilt: 0, indexesLoaded: 0, failures: 0, lastFailure: '' };
let building: Promise<void> = Promise.resolve();

setPriority(0, 5); // on Linux the thread's: who asks for something else comes first
setInterval(() => {
  for (const index of indexes.values()) index.save();
}, SAVE_MS).unref();

serveRequests<IndexerRequest, SearchResult | IndexerStatus | undefined>((question) => {
  if (question.kind === 'search') return use(question.accountId, question.filesRoot).search(question.query);
  if (question.kind === 'status') return status();
  for (const index of indexes.values()) index.close();
  indexes.clear();
  return undefined;
});

function use(accountId: number, filesRoot: string): AccountIndex {
  let index = indexes.get(accountId);
  if (index !== undefined && index.filesRoot !== filesRoot) index.close();
  if (index === undefined || index.filesRoot !== filesRoot) index = open(accountId, filesRoot);
  indexes.delete(accountId);
  indexes.set(accountId, index);
  evict();
  return index;
}

function open(accountId: number, filesRoot: string): AccountIndex {
  const { maxNames, sweepMs, folder } = settings;
  const index = new AccountIndex({
    file: join(folder, `${accountId}.idx`),
    filesRoot,
    maxNames,
    sweepMs,
    budget,
    onFailure: noteFailure,
  });
  if (index.load()) totals.indexesLoaded += 1;
  else
    building = building
      .then(() => index.build())
      .then(() => void (totals.indexesBuilt += 1), noteFailure)
      .then(evict);
  return index;
}

/** Accounts that nobody asked for the longest leave the memory; their indexes stay on disk. */
function evict(): void {
  let sizeBytes = [...indexes.values()].reduce((sum, index) => sum + index.sizeBytes, 0);
  const newest = [...indexes.keys()].at(-1);
  for (const [accountId, index] of indexes) {
    if (sizeBytes <= settings.memoryBytes || accountId === newest) return;
    if (!index.isReady) continue;
    sizeBytes -= index.sizeBytes;
    index.close();
    indexes.delete(accountId);
  }
}

function noteFailure(error: unknown): void {
  totals.failures += 1;
  totals.lastFailure = messageOf(error);
}

function status(): IndexerStatus {
  const counts = [...indexes.values()].map((index) => index.counts);
  const sum = (member: 'files' | 'folders' | 'watches') => counts.reduce((total, each) => total + each[member], 0);
  const memoryBytes = [...indexes.values()].reduce((total, index) => total + index.sizeBytes, 0);
  return {
    accounts: indexes.size,
    files: sum('files'),
    folders: sum('folders'),
    watches: sum('watches'),
    memoryBytes,
    foldersListed: walkCount.listed,
    ...totals,
  };
}
