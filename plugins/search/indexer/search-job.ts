/** The job of an account's searches. Its process holds the account's index, and lives on between searches. */
import { WithBytes, type JobContext } from '../../../kernel/kit/jobs/job.ts';
import { clientPath } from '../../../kernel/kit/files/client-path.ts';
import type { FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { removeLeftovers } from '../name-index/index-file.ts';
import type { FileHits, FolderHits } from '../schema.ts';
import { AccountIndex, type AccountIndexOptions, type SearchResult } from './account-index.ts';
import { counts, takeCounts } from './counts.ts';
import type { SearchQuery } from './index-search.ts';
import type { IndexRoom } from './folder-reader.ts';

export type IndexSettings = Pick<AccountIndexOptions, 'maxWatches' | 'sweepMs' | keyof IndexRoom>;
/** The index as it is, and counts since the last reply. */
export interface IndexStatus extends Readonly<typeof counts> {
  readonly files: number;
  readonly watches: number;
  readonly memoryBytes: number;
}
interface SearchInput {
  readonly query: SearchQuery;
  readonly virtualRoot: string;
  readonly settings: IndexSettings;
}
interface SearchOutcome {
  /** Whether there is such a folder. */
  readonly isFound: boolean;
  readonly source: SearchResult['source'];
  readonly status: IndexStatus;
}

const SAVE_MS = 60_000;
/** In the process's working folder, which is the account's. */
const FILE = 'index';
let index: AccountIndex | undefined;

/** The bytes are the reply's JSON, so that a thousand hits cost the serving process no more than one. */
export default async function search(
  { query, virtualRoot, settings }: SearchInput,
  { root, onClose }: JobContext,
): Promise<WithBytes<SearchOutcome>> {
  index ??= openIndex(root, settings, onClose);
  const { hits, source } = await index.search(query);
  const described = (hits ?? []).map(({ path, sizeBytes, mtimeMs }): FileHits[number] | FolderHits[number] => {
    const at = clientPath(path, virtualRoot);
    if (query.kind === 'folders') return { name: path.at(-1) ?? '', path: at };
    const modifiedAt = new Date(mtimeMs).toISOString();
    return { path: at, size: sizeBytes, modified: modifiedAt.slice(0, 19), modified_at: modifiedAt };
  });
  return new WithBytes(Buffer.from(JSON.stringify(described)), {
    isFound: hits !== undefined,
    source,
    status: { ...index.counts, memoryBytes: index.sizeBytes, ...takeCounts() },
  });
}

function openIndex(root: FilesRoot, settings: IndexSettings, onClose: JobContext['onClose']): AccountIndex {
  const onFailure = () => void (counts.failures += 1);
  removeLeftovers(FILE);
  const opened = new AccountIndex({ file: FILE, root, ...settings, onFailure });
  if (opened.load()) counts.indexesLoaded += 1;
  else void opened.build().catch(onFailure);
  const timer = setInterval(() => opened.save(), SAVE_MS);
  onClose(() => {
    clearInterval(timer);
    opened.close();
  });
  return opened;
}
