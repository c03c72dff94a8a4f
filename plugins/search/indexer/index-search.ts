import type { FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { closeSync } from 'node:fs';
import type { FileTree } from '../name-index/file-tree.ts';
import type { NameTable } from '../name-index/name-table.ts';
import { hitRank, TopHits, type Fit } from '../name-index/ranking.ts';
import { fileStats, openFolder, openPath } from './folder-reader.ts';

export interface SearchQuery {
  readonly kind: 'files' | 'folders';
  /** Part of a name, in any case; empty = every name. */
  readonly text: string;
  /** Without its dot; empty = any. */
  readonly extension: string;
  /** The folder to search, as components below the files root. */
  readonly folder: readonly string[];
  readonly limit: number;
}

export interface Hit {
  /** Components below the files root. */
  readonly path: readonly string[];
  readonly sizeBytes: number;
  readonly mtimeMs: number;
}

/** How many descriptors one search holds open. */
const MAX_OPEN_FOLDERS = 256;
/** Most names contain a text this short, so names that begin with it are tried first. */
const SHORT_BYTES = 2;

/**
 * Searches a tree, best hits first. Each hit is checked on disk, so that nothing deleted or replaced by a link is
 * returned. Returns `undefined` when the tree does not have the query's folder; calls `onStale` with each folder whose
 * content has changed.
 */
export function searchTree(
  tree: FileTree,
  root: FilesRoot,
  query: SearchQuery,
  onStale: (folder: number) => void,
): Hit[] | undefined {
  const within = tree.find(query.folder);
  if (within === undefined) return undefined;
  const disk = new DiskCheck(tree, root);
  try {
    if (!disk.hasFolder(within)) return undefined;
    for (let wanted = query.limit; ; wanted *= 8) {
      const top = collect(tree, query, within, wanted);
      const hits: Hit[] = [];
      for (const id of top.sorted((each) => pathOf(tree, query.kind, each))) {
        const hit = query.kind === 'files' ? disk.file(id) : disk.folder(id);
        if (hit === undefined) onStale(tableOf(tree, query.kind).parent(id));
        else if (hits.push(hit) === query.limit) return hits;
      }
      if (!top.isCut) return hits;
    }
  } finally {
    disk.close();
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
  const newTop = () => new TopHits(query.kind === 'files' ? tree.orderedFiles : tree.orderedFolders, wanted);
  const addTo = (top: TopHits) => (id: number, fit: Fit) => {
    const parent = table.parent(id);
    if ((query.kind === 'files' || id !== 0) && isInside(parent)) top.add(id, hitRank(fit, tree.depth(parent)));
  };
  let top = newTop();
  if (text.includes(0) || ending.includes(0)) return top;
  if (text.length > 0 && text.length <= SHORT_BYTES) {
    table.scanPrefix(text, ending, addTo(top));
    if (top.size >= wanted) return top;
    top = newTop();
  }
  table.scan(text, ending, addTo(top));
  return top;
}

/** Returns a test whether a folder is `within` or lies below it. */
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

/** Checks hits on disk. It keeps the folders on their paths open, because the next hit often has the same. */
class DiskCheck {
  readonly #tree: FileTree;
  readonly #root: FilesRoot;
  readonly #open = new Map<number, number | undefined>();

  constructor(tree: FileTree, root: FilesRoot) {
    this.#tree = tree;
    this.#root = root;
  }

  file(id: number): Hit | undefined {
    const { files } = this.#tree;
    const descriptor = this.#descriptor(files.parent(id));
    const stats = descriptor === undefined ? undefined : fileStats(descriptor, files.name(id));
    return stats === undefined ? undefined : { path: pathOf(this.#tree, 'files', id), ...stats };
  }

  folder(id: number): Hit | undefined {
    return this.hasFolder(id) ? { path: this.#tree.path(id), sizeBytes: 0, mtimeMs: 0 } : undefined;
  }

  hasFolder(id: number): boolean {
    return this.#descriptor(id) !== undefined;
  }

  close(): void {
    for (const descriptor of this.#open.values()) if (descriptor !== undefined) closeSync(descriptor);
    this.#open.clear();
  }

  #descriptor(folder: number): number | undefined {
    if (this.#open.has(folder)) return this.#open.get(folder);
    if (this.#open.size >= MAX_OPEN_FOLDERS) this.close();
    const descriptor = this.#openFolder(folder);
    this.#open.set(folder, descriptor);
    return descriptor;
  }

  #openFolder(folder: number): number | undefined {
    if (folder === 0) return openPath(this.#root, []);
    const { folders } = this.#tree;
    const parent = this.#descriptor(folders.parent(folder));
    return parent === undefined ? undefined : openFolder(parent, folders.name(folder));
  }
}
