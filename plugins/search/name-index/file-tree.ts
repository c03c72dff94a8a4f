import { NameTable, type NameData } from './name-table.ts';

/** Names of what lies in one folder, links and other things left out. */
export interface FolderListing {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** How one folder was when it was listed, so that a change of it shows. */
export interface FolderState {
  readonly inode: number;
  /** Milliseconds; NaN when it has to be listed again whatever its time is. */
  readonly mtimeMs: number;
}

/** What is kept of a tree on disk. */
export interface TreeData {
  readonly folders: NameData;
  readonly files: NameData;
  readonly states: Float64Array;
  readonly runs: Uint32Array;
  readonly orderedFiles: number;
  readonly orderedFolders: number;
}

/** Members of a folder in `#states` and `#runs`. */
const [INODE, MTIME, STATE] = [0, 1, 2];
const [FILES, FILES_END, FOLDERS, FOLDERS_END, DEPTH, RUN] = [0, 1, 2, 3, 4, 5];

/**
 * All names below one files root. Folders and files have numbers in the order in which they were listed; the first
 * listing of a folder gives its content numbers in a row, later ones are kept beside. Folder 0 is the root.
 */
export class FileTree {
  readonly folders: NameTable;
  readonly files: NameTable;
  /** Numbers below these were given in the order of the paths. */
  orderedFiles: number;
  orderedFolders: number;
  #states: Float64Array;
  #runs: Uint32Array;
  readonly #laterFiles = new Map<number, number[]>();
  readonly #laterFolders = new Map<number, number[]>();

  constructor(data?: TreeData) {
    this.folders = new NameTable(data?.folders);
    this.files = new NameTable(data?.files);
    this.#states = data?.states ?? new Float64Array(STATE * 64);
    this.#runs = data?.runs ?? new Uint32Array(RUN * 64);
    this.orderedFiles = data?.orderedFiles ?? 0;
    this.orderedFolders = data?.orderedFolders ?? 0;
    if (data === undefined) this.#addFolder('', 0);
    else this.#findLater();
  }

  get sizeBytes(): number {
    return this.folders.sizeBytes + this.files.sizeBytes + this.#states.byteLength + this.#runs.byteLength;
  }

  get data(): TreeData {
    const { count } = this.folders;
    return {
      folders: this.folders.data,
      files: this.files.data,
      states: this.#states.subarray(0, count * STATE),
      runs: this.#runs.subarray(0, count * RUN),
      orderedFiles: this.orderedFiles,
      orderedFolders: this.orderedFolders,
    };
  }

  /** Called once after the first walk: gives room back, and takes the order so far as the order of paths. */
  settle(): void {
    this.folders.trim();
    this.files.trim();
    this.#states = this.#states.slice(0, this.folders.count * STATE);
    this.#runs = this.#runs.slice(0, this.folders.count * RUN);
    this.orderedFiles = this.files.count;
    this.orderedFolders = this.folders.count;
  }

  /** Whether so much was added or removed since that a new walk would pay. */
  get needsRebuild(): boolean {
    const all = this.files.count + this.folders.count;
    const worn = this.files.removedCount + this.folders.removedCount + (all - this.orderedFiles - this.orderedFolders);
    return worn > 20_000 + all / 4;
  }

  state(folder: number): FolderState {
    return {
      inode: this.#states[folder * STATE + INODE] ?? 0,
      mtimeMs: this.#states[folder * STATE + MTIME] ?? Number.NaN,
    };
  }

  setState(folder: number, { inode, mtimeMs }: FolderState): void {
    this.#states[folder * STATE + INODE] = inode;
    this.#states[folder * STATE + MTIME] = mtimeMs;
  }

  depth(folder: number): number {
    return this.#run(folder, DEPTH);
  }

  /** Folders below one that are there. */
  subfolders(folder: number): number[] {
    return this.#living(
      this.folders,
      this.#run(folder, FOLDERS),
      this.#run(folder, FOLDERS_END),
      this.#laterFolders.get(folder),
    );
  }

  /** Takes the first listing of a folder; its subfolders are empty until they are listed. Returns their numbers. */
  fill(folder: number, { files, folders }: FolderListing): number[] {
    const [firstFile, firstFolder] = [this.files.count, this.folders.count];
    for (const name of files) this.files.add(name, folder);
    for (const name of folders) this.#addFolder(name, folder);
    this.#runs.set([firstFile, this.files.count, firstFolder, this.folders.count], folder * RUN);
    return Array.from({ length: folders.length }, (_, i) => firstFolder + i);
  }

  /** Takes a later listing of a folder. Returns the subfolders that are new, and those that went with all below them. */
  update(folder: number, { files, folders }: FolderListing): { added: number[]; removed: number[] } {
    const oldFiles = this.#living(
      this.files,
      this.#run(folder, FILES),
      this.#run(folder, FILES_END),
      this.#laterFiles.get(folder),
    );
    const fileChange = changeOf(this.files, oldFiles, files);
    for (const id of fileChange.gone) this.files.remove(id);
    const newFiles = fileChange.fresh.map((name) => this.files.add(name, folder));
    note(this.#laterFiles, folder, newFiles, this.files);
    const folderChange = changeOf(this.folders, this.subfolders(folder), folders);
    const removed = folderChange.gone.flatMap((id) => this.removeFolder(id));
    const added = folderChange.fresh.map((name) => this.#addFolder(name, folder));
    note(this.#laterFolders, folder, added, this.folders);
    return { added, removed };
  }

  /** Puts an empty folder in the place of one, because another one has its name now. */
  replaceFolder(folder: number): { added: number; removed: number[] } {
    const [name, parent] = [this.folders.name(folder), this.folders.parent(folder)];
    const removed = this.removeFolder(folder);
    const added = this.#addFolder(name, parent);
    note(this.#laterFolders, parent, [added], this.folders);
    return { added, removed };
  }

  /** Removes a folder with all below it; returns the numbers of the folders that went. */
  removeFolder(folder: number): number[] {
    const below = this.subfolders(folder).flatMap((each) => this.removeFolder(each));
    for (const id of this.#living(
      this.files,
      this.#run(folder, FILES),
      this.#run(folder, FILES_END),
      this.#laterFiles.get(folder),
    ))
      this.files.remove(id);
    this.#laterFiles.delete(folder);
    this.#laterFolders.delete(folder);
    this.folders.remove(folder);
    return [folder, ...below];
  }

  /** Names from the root down to a folder. */
  path(folder: number): string[] {
    const names: string[] = [];
    for (let id = folder; id !== 0; id = this.folders.parent(id)) names.push(this.folders.name(id));
    return names.toReversed();
  }

  /** The folder of a path; `undefined` when the tree does not know it. */
  find(path: readonly string[]): number | undefined {
    let folder: number | undefined = 0;
    for (const name of path)
      folder = folder === undefined ? undefined : this.subfolders(folder).find((id) => this.folders.name(id) === name);
    return folder;
  }

  /** What is in no run of its folder was added later. */
  #findLater(): void {
    for (const [table, later, run] of [
      [this.files, this.#laterFiles, FILES],
      [this.folders, this.#laterFolders, FOLDERS],
    ] as const) {
      for (let id = 0; id < table.count; id += 1) {
        const parent = table.parent(id);
        if (
          table.isRemoved(id) ||
          (table === this.folders && id === 0) ||
          (id >= this.#run(parent, run) && id < this.#run(parent, run + 1))
        )
          continue;
        later.set(parent, [...(later.get(parent) ?? []), id]);
      }
    }
  }

  #addFolder(name: string, parent: number): number {
    const id = this.folders.add(name, parent);
    if ((id + 1) * STATE > this.#states.length)
      this.#states = doubled(this.#states, new Float64Array(this.#states.length * 2 + STATE));
    if ((id + 1) * RUN > this.#runs.length)
      this.#runs = doubled(this.#runs, new Uint32Array(this.#runs.length * 2 + RUN));
    this.#runs.set([0, 0, 0, 0, id === 0 ? 0 : this.depth(parent) + 1], id * RUN);
    this.setState(id, { inode: 0, mtimeMs: Number.NaN });
    return id;
  }

  #run(folder: number, member: number): number {
    return this.#runs[folder * RUN + member] ?? 0;
  }

  #living(table: NameTable, first: number, end: number, later: readonly number[] = []): number[] {
    const ids: number[] = [];
    for (let id = first; id < end; id += 1) if (!table.isRemoved(id)) ids.push(id);
    for (const id of later) if (!table.isRemoved(id)) ids.push(id);
    return ids;
  }
}

/** Numbers whose names are in a list no more, and the names that have no number yet. */
function changeOf(
  table: NameTable,
  ids: readonly number[],
  names: readonly string[],
): { gone: number[]; fresh: string[] } {
  const fresh = new Set(names);
  const gone = ids.filter((id) => !fresh.delete(table.name(id)));
  return { gone, fresh: [...fresh] };
}

function note(later: Map<number, number[]>, folder: number, added: readonly number[], table: NameTable): void {
  const kept = [...(later.get(folder) ?? []).filter((id) => !table.isRemoved(id)), ...added];
  if (kept.length > 0) later.set(folder, kept);
  else later.delete(folder);
}

function doubled<T extends Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
