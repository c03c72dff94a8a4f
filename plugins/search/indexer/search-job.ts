/** The job of an account's searches. Its process holds the account's index, and lives on between searches. */
import { WithBytes, type JobContext } from '../../../kernel/kit/jobs/job.ts';
import { clientPath } from '../../../kernel/kit/files/client-path.ts';
import type { FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { removeLeftovers } from '../name-index/index-file.ts';
import type { FileHits, FolderHits } from '../schema.ts';
import { AccountIndex } from './account-index.ts';
import type { Hit, SearchQuery } from './index-search.ts';
import { walkCount } from './tree-walk.ts';

export interface IndexSettings {
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
interface SearchInput {
  readonly query: SearchQuery;
  readonly virtualRoot: string;
  readonly settings: IndexSettings;
}
interface SearchOutcome {
  /** Whether there is such a folder. */
  readonly isFound: boolean;
  /** Whether the hits come from the index. */
  readonly isReady: boolean;
  readonly status: IndexStatus;
}

const SAVE_MS = 60_000;
/** In the process's working folder, which is the account's. */
const FILE = 'index';
const counts = { indexesLoaded: 0, failures: 0 };
let reportedBuilt = 0;
let index: AccountIndex | undefined;

/** The bytes are the reply's JSON, so that a thousand hits cost the serving process no more than one. */
export default async function search(
  { query, virtualRoot, settings }: SearchInput,
  { root, onClose }: JobContext,
): Promise<WithBytes<SearchOutcome>> {
  index ??= openIndex(root, settings, onClose);
  const { hits, isReady } = await index.search(query);
  const described = (hits ?? []).map((hit): unknown => (query.kind === 'files' ? fileOf(hit) : folderOf(hit)));
  return new WithBytes(Buffer.from(JSON.stringify(described)), {
    isFound: hits !== undefined,
    isReady,
    status: statusOf(index),
  });

  function fileOf({ path, sizeBytes, mtimeMs }: Hit): FileHits[number] {
    const modifiedAt = new Date(mtimeMs).toISOString();
    const times = { modified: modifiedAt.slice(0, 19), modified_at: modifiedAt };
    return { path: clientPath(path, virtualRoot), size: sizeBytes, ...times };
  }
  function folderOf({ path }: Hit): FolderHits[number] {
    return { name: path.at(-1) ?? '', path: clientPath(path, virtualRoot) };
  }
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
    maxWatches,
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
