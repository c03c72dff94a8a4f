import { close, fileBelow, openBelow, openRoot } from './folder-reader.ts';
import { TopHits, rankOf } from '../name-index/ranking.ts';
import { Fit, type NameTable } from '../name-index/name-table.ts';
import type { FileTree } from '../name-index/file-tree.ts';

export interface SearchQuery {
  readonly kind: 'files' | 'folders';
  /** Looked for in names, in any case; empty = all. */
  readonly text: string;
  /** Without its dot; empty = any. */
  readonly extension: string;
  /** Components below the files root of the folder in which to look. */
  readonly folder: readonly string[];
  readonly limit: number;
}

export interface Hit {
  /** Components below the files root. */
  readonly path: readonly string[];
  readonly sizeBytes: number;
  readonly mtimeMs: number;
}

/** Descriptors that one answer holds open at most. */
const OPEN_FOLDERS = 256;
/** Texts so short are in most names; those that begin with them are tried first. */
const SHORT_BYTES = 2;

/**
 * Hits of a tree, best first, each looked at now, so that what is gone or became a link is not among them.
 * `undefined` when the tree does not know the folder. `onGone` is told of folders that turned out to be out of date.
 */
export function search(
  tree: FileTree,
  filesRoot: string,
  query: SearchQuery,
  onGone: (folder: number) => void,
): Hit[] | undefined {
  const within = tree.find(query.folder);
  if (within === undefined) return undefined;
  const visits = new Visits(tree, filesRoot);
  try {
    if (!visits.isThere(within)) return undefined;
    for (let wanted = query.limit; ; wanted *= 8) {
      const best = collect(tree, query, within, wanted);
      const hits: Hit[] = [];
      for (const id of best.inOrder((each) => pathOf(tree, query.kind, each))) {
        const hit = query.kind === 'files' ? visits.file(id) : visits.folder(id);
        if (hit === undefined) onGone(tableOf(tree, query.kind).parent(id));
        else if (hits.push(hit) === query.limit) return hits;
      }
      if (!best.isCut) return hits;
    }
  } finally {
    visits.close();
  }
}

function tableOf(tree: FileTree, kind: SearchQuery['kind']): NameTable {
  return kind === 'files' ? tree.files : tree.folders;
}

function pathOf(tree: FileTree, kind: SearchQuery['kind'], id: number): string[] {
  return kind === 'folders' ? tree.path(id) : [...tree.path(tree.files.parent(id)), tree.files.name(id)];
}

function collect(tree: FileTree, query: SearchQuery, within: number, wanted: number): TopHits {
  const table = tableOf(tree, query.kind);
  const text = Buffer.from(query.text.toLowerCase());
  const ending = Buffer.from(query.extension === '' ? '' : `.${query.extension.toLowerCase()}`);
  const isInside = insideOf(tree, within);
  const newBest = () => new TopHits(query.kind === 'files' ? tree.orderedFiles : tree.orderedFolders, wanted);
  const into = (best: TopHits) => (id: number, fit: Fit) => {
    const parent = table.parent(id);
    if ((query.kind === 'files' || id !== 0) && isInside(parent)) best.add(id, rankOf(fit, tree.depth(parent)));
  };
  let best = newBest();
  if (text.includes(0) || ending.includes(0)) return best;
  if (text.length > 0 && text.length <= SHORT_BYTES) {
    table.scanPrefix(text, ending, into(best));
    if (best.size >= wanted) return best;
    best = newBest();
  }
  table.scan(text, ending, into(best));
  return best;
}

/** Whether a folder is one or lies below it. */
function insideOf(tree: FileTree, within: number): (folder: number) => boolean {
  if (within === 0) return () => true;
  const depth = tree.depth(within);
  const known = new Map<number, boolean>();
  const isInside = (folder: number): boolean => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const now = folder === within || (tree.depth(folder) > depth && isInside(tree.folders.parent(folder)));
    known.set(folder, now);
    return now;
  };
  return isInside;
}

/** Looks at hits one by one, keeping the folders open that it came through. */
class Visits {
  readonly #tree: FileTree;
  readonly #filesRoot: string;
  readonly #open = new Map<number, number | undefined>();

  constructor(tree: FileTree, filesRoot: string) {
    this.#tree = tree;
    this.#filesRoot = filesRoot;
  }

  file(id: number): Hit | undefined {
    const { files } = this.#tree;
    const descriptor = this.#descriptor(files.parent(id));
    const stats = descriptor === undefined ? undefined : fileBelow(descriptor, files.name(id));
    return stats === undefined ? undefined : { path: pathOf(this.#tree, 'files', id), ...stats };
  }

  folder(id: number): Hit | undefined {
    return !this.isThere(id) ? undefined : { path: this.#tree.path(id), sizeBytes: 0, mtimeMs: 0 };
  }

  isThere(folder: number): boolean {
    return this.#descriptor(folder) !== undefined;
  }

  close(): void {
    for (const descriptor of this.#open.values()) if (descriptor !== undefined) close(descriptor);
    this.#open.clear();
  }

  #descriptor(folder: number): number | undefined {
    if (this.#open.has(folder)) return this.#open.get(folder);
    if (this.#open.size >= OPEN_FOLDERS) this.close();
    const parent = folder === 0 ? undefined : this.#descriptor(this.#tree.folders.parent(folder));
    const descriptor =
      folder === 0
        ? openRoot(this.#filesRoot)
        : parent === undefined
          ? undefined
          : openBelow(parent, this.#tree.folders.name(folder));
    this.#open.set(folder, descriptor);
    return descriptor;
  }
}
