/** The job of an account's searches. Its process holds the account's index, and lives on between searches. */
import type { JobContext } from '../../../kernel/jobs/job.ts';
import type { FilesRoot } from '../../../kernel/system/files-root.ts';
import { removeLeftovers } from '../name-index/index-file.ts';
import { AccountIndex, type SearchResult } from './account-index.ts';
import type { SearchQuery } from './index-search.ts';
import { walkCount } from './tree-walk.ts';
import { WatchBudget } from './watches.ts';

interface IndexSettings {
  readonly maxWatches: number;
  readonly maxNames: number;
  readonly sweepMs: number;
}
export interface IndexStatus {
  readonly files: number;
  readonly watches: number;
  readonly memoryBytes: number;
  /** Counted since the last reply. */
  readonly indexesBuilt: number;
  readonly indexesLoaded: number;
  readonly foldersListed: number;
  readonly failures: number;
}
interface SearchReply extends SearchResult {
  readonly status: IndexStatus;
}

const SAVE_MS = 60_000;
/** In the process's working folder, which is the account's. */
const FILE = 'index';
const counts = { indexesLoaded: 0, failures: 0 };
let reportedBuilt = 0;
let index: AccountIndex | undefined;

export default async function search(
  { query, settings }: { readonly query: SearchQuery; readonly settings: IndexSettings },
  { root, onClose }: JobContext,
): Promise<SearchReply> {
  index ??= openIndex(root, settings, onClose);
  const result = await index.search(query);
  return { ...result, status: statusOf(index) };
}

function openIndex(root: FilesRoot, settings: IndexSettings, onClose: JobContext['onClose']): AccountIndex {
  const onFailure = () => void (counts.failures += 1);
  const { maxNames, sweepMs, maxWatches } = settings;
  removeLeftovers(FILE);
  const opened = new AccountIndex({
    file: FILE,
    root,
    maxNames,
    sweepMs,
    budget: new WatchBudget(maxWatches),
    onFailure,
  });
  if (opened.load()) counts.indexesLoaded += 1;
  else void opened.build().catch(onFailure);
  const timer = setInterval(() => opened.save(), SAVE_MS);
  onClose(() => {
    clearInterval(timer);
    opened.close();
  });
  return opened;
}

function statusOf(opened: AccountIndex): IndexStatus {
  const indexesBuilt = opened.built - reportedBuilt;
  const { listed: foldersListed } = walkCount;
  const status = { ...opened.counts, memoryBytes: opened.sizeBytes, foldersListed, indexesBuilt, ...counts };
  reportedBuilt = opened.built;
  Object.assign(counts, { indexesLoaded: 0, failures: 0 });
  walkCount.listed = 0;
  return status;
}
