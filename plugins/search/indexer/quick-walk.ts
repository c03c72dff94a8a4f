import type { FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import type { FolderListing } from '../name-index/file-tree.ts';
import { comparePaths, nameFit, hitRank } from '../name-index/ranking.ts';
import { fileStats, inOpen, listFolder, openFolder, openPath } from './folder-reader.ts';
import type { Hit, SearchQuery } from './index-search.ts';

/** Limits of a search without an index. */
const LIMIT_MS = 250;
const MAX_FOLDERS = 5000;
const MAX_NAMES = 100_000;

type Candidate = Pick<Hit, 'path'> & { readonly rank: number };

/**
 * Searches by a bounded walk, nearest folders first, while there is no index. Returns `undefined` when the query's
 * folder does not exist.
 */
export function quickWalk(root: FilesRoot, query: SearchQuery): Hit[] | undefined {
  const candidates: Candidate[] = [];
  const until = performance.now() + LIMIT_MS;
  const queue: (readonly string[])[] = [query.folder];
  for (let visited = 0; visited < queue.length; visited += 1) {
    if (visited >= MAX_FOLDERS || (visited > 0 && performance.now() > until)) break;
    const path = queue[visited] ?? [];
    const listing = listAt(root, path);
    if (listing === undefined && visited === 0) return undefined;
    for (const name of listing?.[query.kind] ?? []) {
      const fit = nameFit(name, query);
      if (fit !== undefined) candidates.push({ path: [...path, name], rank: hitRank(fit, path.length) });
    }
    for (const name of listing?.folders ?? []) queue.push([...path, name]);
  }
  return hitsOf(root, candidates, query);
}

function listAt(root: FilesRoot, path: readonly string[]): FolderListing | undefined {
  return inOpen(openPath(root, path), (folder) => listFolder(folder, MAX_NAMES, path.length === 0)?.listing);
}

function hitsOf(root: FilesRoot, candidates: readonly Candidate[], { kind, limit }: SearchQuery): Hit[] {
  const statsIn = kind === 'files' ? fileStats : folderStats;
  const hits: Hit[] = [];
  for (const { path } of candidates.toSorted((a, b) => a.rank - b.rank || comparePaths(a.path, b.path))) {
    const stats = inOpen(openPath(root, path.slice(0, -1)), (parent) => statsIn(parent, path.at(-1) ?? ''));
    if (stats !== undefined && hits.push({ path, ...stats }) === limit) break;
  }
  return hits;
}

const folderStats = (parent: number, name: string): Omit<Hit, 'path'> | undefined =>
  inOpen(openFolder(parent, name), () => ({ sizeBytes: 0, mtimeMs: 0 }));
