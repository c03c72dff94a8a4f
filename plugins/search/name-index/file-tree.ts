import { copied } from './copied.ts';
import { NameTable, type NameData } from './name-table.ts';

/** Names of the files and folders in one folder, without links and special files. */
export interface FolderListing {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** A folder as it was when it was listed; a difference means that it has changed. */
export interface FolderState {
  readonly inode: number;
  /** NaN = to be listed again in any case. */
  readonly mtimeMs: number;
}

/** The content of a tree, as the index file keeps it. */
export interface TreeData {
  readonly folders: NameData;
  readonly files: NameData;
  readonly states: Float64Array;
  readonly runs: Uint32Array;
  readonly orderedFiles: number;
  readonly orderedFolders: number;
}

/** Places of a folder's values in `#states` and `#runs`, and how many there are. */
const [INODE, MTIME, STATE] = [0, 1, 2];
/** The end of a run follows its beginning. */
const [FILES, FOLDERS, DEPTH, RUN] = [0, 2, 4, 5];

/**
 * All names below one files root. Folders and files are numbered in the order in which they were listed. The first
 * listing of a folder gives its content consecutive numbers, a run; names added later are kept in a list beside it.
 * Folder 0 is the root.
 */
export class FileTree {
  readonly folders: NameTable;
  readonly files: NameTable;
  /** Numbers below these are in the order of the paths. */
  orderedFiles: number;
  orderedFolders: number;
  #states: Float64Array;
  #runs: Uint32Array;
  /** Folders with names that the tree lacks. */
  readonly #cut = new Set<number>();
  readonly #addedFiles = new Map<number, number[]>();
  readonly #addedFolders = new Map<number, number[]>();

  constructor(data?: TreeData) {
    this.folders = new NameTable(data?.folders);
    this.files = new NameTable(data?.files);
    this.#states = data?.states ?? new Float64Array(STATE * 64);
    this.#runs = data?.runs ?? new Uint32Array(RUN * 64);
    this.orderedFiles = data?.orderedFiles ?? 0;
    this.orderedFolders = data?.orderedFolders ?? 0;
    if (data === undefined) this.#addFolder('', 0);
    else this.#findAdded();
  }

  get sizeBytes(): number {
    return this.folders.sizeBytes + this.files.sizeBytes + this.#states.byteLength + this.#runs.byteLength;
  }

  get data(): TreeData {
    const { count } = this.folders;
    const states = this.#states.slice(0, count * STATE);
    for (const folder of this.#cut) states[folder * STATE + MTIME] = Number.NaN; // to be listed again, and found to be cut
    return {
      folders: this.folders.data,
      files: this.files.data,
      states,
      runs: this.#runs.subarray(0, count * RUN),
      orderedFiles: this.orderedFiles,
      orderedFolders: this.orderedFolders,
    };
  }

  /** Called once after the first walk, which numbers in the order of the paths. */
  markBuilt(): void {
    this.orderedFiles = this.files.count;
    this.orderedFolders = this.folders.count;
  }

  /** Whether so much was added or removed that a new walk pays. */
  get needsRebuild(): boolean {
    const all = this.files.count + this.folders.count;
    const changed =
      this.files.removedCount + this.folders.removedCount + (all - this.orderedFiles - this.orderedFolders);
    return changed > 20_000 + all / 4;
  }

  state(folder: number): FolderState {
    return {
      inode: this.#states[folder * STATE + INODE] ?? 0,
      mtimeMs: this.#states[folder * STATE + MTIME] ?? Number.NaN,
    };
  }

  /** Whether a folder has names that the tree lacks. */
  get isCut(): boolean {
    return this.#cut.size > 0;
  }

  /** `isCut`: whether the tree lacks some of its names. */
  setState(folder: number, { inode, mtimeMs }: FolderState, isCut = false): void {
    if (isCut) this.#cut.add(folder);
    else this.#cut.delete(folder);
    this.#states[folder * STATE + INODE] = inode;
    this.#states[folder * STATE + MTIME] = mtimeMs;
  }

  /** When the last `count` changed folders were changed: this or later. -Infinity if there are no more folders. */
  changedSince(count: number): number {
    const times = this.#states.subarray(0, this.folders.count * STATE).filter((_, i) => i % STATE === MTIME);
    const known = times.filter((mtimeMs, folder) => !Number.isNaN(mtimeMs) && !this.folders.isRemoved(folder));
    known.sort();
    return known.length <= count ? Number.NEGATIVE_INFINITY : (known[known.length - count] ?? Number.POSITIVE_INFINITY);
  }

  depth(folder: number): number {
    return this.#run(folder, DEPTH);
  }

  /** Whether it was ever listed with subfolders. */
  hasSubfolders(folder: number): boolean {
    return this.#run(folder, FOLDERS) < this.#run(folder, FOLDERS + 1) || this.#addedFolders.has(folder);
  }

  /** Direct subfolders that are not removed. */
  subfolders(folder: number): number[] {
    return this.#present(folder, this.folders, FOLDERS, this.#addedFolders);
  }

  /** How many names the folder has in the tree. */
  countIn(folder: number): number {
    return this.#filesIn(folder).length + this.subfolders(folder).length;
  }

  /** Takes the first listing of a folder. Returns the numbers of its subfolders, which are to be listed next. */
  fill(folder: number, { files, folders }: FolderListing): number[] {
    const [firstFile, firstFolder] = [this.files.count, this.folders.count];
    for (const name of files) this.files.add(name, folder);
    for (const name of folders) this.#addFolder(name, folder);
    this.#runs.set([firstFile, this.files.count, firstFolder, this.folders.count], folder * RUN);
    return Array.from({ length: folders.length }, (_, i) => firstFolder + i);
  }

  /** Takes a later listing of a folder. Returns the new subfolders, and the removed ones with the folders below. */
  update(folder: number, listing: FolderListing): { added: number[]; removed: number[] } {
    const files = difference(this.files, this.#filesIn(folder), listing.files);
    for (const id of files.removed) this.files.remove(id);
    const newFiles = files.added.map((name) => this.files.add(name, folder));
    append(this.#addedFiles, folder, newFiles, this.files);
    const folders = difference(this.folders, this.subfolders(folder), listing.folders);
    const removed = folders.removed.flatMap((id) => this.#removeFolder(id));
    const added = folders.added.map((name) => this.#addFolder(name, folder));
    append(this.#addedFolders, folder, added, this.folders);
    return { added, removed };
  }

  /** Replaces a folder by an empty one, because another folder has its name now. Returns the removed folders. */
  replaceFolder(folder: number): number[] {
    const [name, parent] = [this.folders.name(folder), this.folders.parent(folder)];
    const removed = this.#removeFolder(folder);
    append(this.#addedFolders, parent, [this.#addFolder(name, parent)], this.folders);
    return removed;
  }

  /** Names from the root down to the folder. */
  path(folder: number): string[] {
    const names: string[] = [];
    for (let id = folder; id !== 0; id = this.folders.parent(id)) names.push(this.folders.name(id));
    return names.toReversed();
  }

  /** The folder at a path; `undefined` when there is none in the tree. */
  find(path: readonly string[]): number | undefined {
    let folder: number | undefined = 0;
    for (const name of path)
      folder = folder === undefined ? undefined : this.subfolders(folder).find((id) => this.folders.name(id) === name);
    return folder;
  }

  #filesIn(folder: number): number[] {
    return this.#present(folder, this.files, FILES, this.#addedFiles);
  }

  /** The numbers in a run of a folder, and in its list of added names, that are not removed. */
  #present(folder: number, table: NameTable, run: number, lists: ReadonlyMap<number, readonly number[]>): number[] {
    const ids: number[] = [];
    const end = this.#run(folder, run + 1);
    for (let id = this.#run(folder, run); id < end; id += 1) if (!table.isRemoved(id)) ids.push(id);
    for (const id of lists.get(folder) ?? []) if (!table.isRemoved(id)) ids.push(id);
    return ids;
  }

  /** Removes a folder with everything below it. Returns the numbers of the removed folders. */
  #removeFolder(folder: number): number[] {
    const below = this.subfolders(folder).flatMap((each) => this.#removeFolder(each));
    for (const id of this.#filesIn(folder)) this.files.remove(id);
    this.#addedFiles.delete(folder);
    this.#addedFolders.delete(folder);
    this.#cut.delete(folder);
    this.folders.remove(folder);
    return [folder, ...below];
  }

  /** Restores the lists of added names: those outside the run of their folder. */
  #findAdded(): void {
    for (const [table, lists, run] of [
      [this.files, this.#addedFiles, FILES],
      [this.folders, this.#addedFolders, FOLDERS],
    ] as const) {
      for (let id = table === this.folders ? 1 : 0; id < table.count; id += 1) {
        const parent = table.parent(id);
        if (table.isRemoved(id) || (id >= this.#run(parent, run) && id < this.#run(parent, run + 1))) continue;
        const list = lists.get(parent);
        if (list === undefined) lists.set(parent, [id]);
        else list.push(id);
      }
    }
  }

  #addFolder(name: string, parent: number): number {
    const id = this.folders.add(name, parent);
    if ((id + 1) * STATE > this.#states.length)
      this.#states = copied(this.#states, new Float64Array(this.#states.length * 2 + STATE));
    if ((id + 1) * RUN > this.#runs.length)
      this.#runs = copied(this.#runs, new Uint32Array(this.#runs.length * 2 + RUN));
    this.#runs.set([0, 0, 0, 0, id === 0 ? 0 : this.depth(parent) + 1], id * RUN);
    this.setState(id, { inode: 0, mtimeMs: Number.NaN });
    return id;
  }

  #run(folder: number, member: number): number {
    return this.#runs[folder * RUN + member] ?? 0;
  }
}

/** Compares numbered names with a new listing. */
function difference(
  table: NameTable,
  ids: readonly number[],
  names: readonly string[],
): { removed: number[]; added: string[] } {
  const added = new Set(names);
  const removed = ids.filter((id) => !added.delete(table.name(id)));
  return { removed, added: [...added] };
}

function append(lists: Map<number, number[]>, folder: number, ids: readonly number[], table: NameTable): void {
  const kept = [...(lists.get(folder) ?? []).filter((id) => !table.isRemoved(id)), ...ids];
  if (kept.length > 0) lists.set(folder, kept);
  else lists.delete(folder);
}
