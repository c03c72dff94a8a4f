import { comparePaths, rankOf } from '../name-index/ranking.ts';
import { close, fileBelow, list, openBelow, openPath } from './folder-reader.ts';
import { Fit } from '../name-index/name-table.ts';
import type { Hit, SearchQuery } from './index-search.ts';

/** What a search without an index may take. */
const LIMIT_MS = 250;
const FOLDERS = 5000;

interface Candidate {
  readonly path: readonly string[];
  readonly rank: number;
}

/** Hits of a bounded walk, nearest folders first, for as long as there is no index. `undefined` when there is no such folder. */
export function quickWalk(filesRoot: string, query: SearchQuery): Hit[] | undefined {
  const candidates: Candidate[] = [];
  const until = performance.now() + LIMIT_MS;
  let level: (readonly string[])[] = [query.folder];
  let visited = 0;
  while (level.length > 0) {
    const next: (readonly string[])[] = [];
    for (const path of level) {
      if (visited > 0 && (visited >= FOLDERS || performance.now() > until))
        return inspect(filesRoot, candidates, query);
      const listing = listAt(filesRoot, path);
      if (listing === undefined && visited === 0) return undefined;
      visited += 1;
      for (const name of (query.kind === 'files' ? listing?.files : listing?.folders) ?? []) {
        const fit = fitOf(name, query);
        if (fit !== undefined) candidates.push({ path: [...path, name], rank: rankOf(fit, path.length) });
      }
      next.push(...(listing?.folders ?? []).map((name) => [...path, name]));
    }
    level = next;
  }
  return inspect(filesRoot, candidates, query);
}

function listAt(filesRoot: string, path: readonly string[]): ReturnType<typeof list> {
  const descriptor = openPath(filesRoot, path);
  if (descriptor === undefined) return undefined;
  try {
    return list(descriptor);
  } finally {
    close(descriptor);
  }
}

function inspect(filesRoot: string, candidates: readonly Candidate[], { kind, limit }: SearchQuery): Hit[] {
  const hits: Hit[] = [];
  for (const { path } of candidates.toSorted((a, b) => a.rank - b.rank || comparePaths(a.path, b.path))) {
    const parent = openPath(filesRoot, path.slice(0, -1));
    if (parent === undefined) continue;
    try {
      const found = kind === 'files' ? fileBelow(parent, path.at(-1) ?? '') : folderBelow(parent, path.at(-1) ?? '');
      if (found !== undefined && hits.push({ path, ...found }) === limit) break;
    } finally {
      close(parent);
    }
  }
  return hits;
}

function folderBelow(parent: number, name: string): Omit<Hit, 'path'> | undefined {
  const descriptor = openBelow(parent, name);
  if (descriptor === undefined) return undefined;
  close(descriptor);
  return { sizeBytes: 0, mtimeMs: 0 };
}

/** How well a query fits a name, as the index has it. */
export function fitOf(name: string, { text, extension }: Pick<SearchQuery, 'text' | 'extension'>): Fit | undefined {
  const [lower, sought, ending] = [
    name.toLowerCase(),
    text.toLowerCase(),
    extension === '' ? '' : `.${extension.toLowerCase()}`,
  ];
  if (!lower.endsWith(ending) || (ending !== '' && lower.length === ending.length)) return undefined;
  if (sought === '' || lower === sought) return Fit.whole;
  let fit: Fit | undefined;
  for (let at = lower.indexOf(sought); at >= 0; at = lower.indexOf(sought, at + 1)) {
    if (at === 0) return Fit.prefix;
    if (/[^a-z0-9\u0080-\uffff]/.test(lower[at - 1] ?? '')) return Fit.word;
    fit = Fit.inside;
  }
  return fit;
}
