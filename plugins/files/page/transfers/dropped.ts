/** A file that was chosen, and where it belongs below the folder into which it goes. */
export interface Picked {
  readonly path: string;
  readonly file: File;
}
/** Chosen files, and chosen folders, which may be empty, parents first. */
export interface Selection {
  readonly files: readonly Picked[];
  readonly folders: readonly string[];
}

/** Returns what was chosen with an input, with its folders where it chooses one. */
export function chosenFiles(list: FileList): Selection {
  const files = [...list].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
  return { files, folders: foldersIn(files.map(({ path }) => path)) };
}

/** Resolves with what was dropped, with all that is in folders. Takes it from the event before the first await, after which it is gone. */
export async function droppedFiles(data: DataTransfer): Promise<Selection> {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return chosenFiles(data.files);
  const [files, folders]: [Picked[], string[]] = [[], []];
  await Promise.all(entries.map((entry) => gather(entry, files, folders)));
  return { files, folders: folders.toSorted() };
}

async function gather(entry: FileSystemEntry, files: Picked[], folders: string[]): Promise<void> {
  const path = entry.fullPath.slice(1);
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    files.push({ path, file });
    return;
  }
  folders.push(path);
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return; // browsers tell a folder in parts
    await Promise.all(some.map((each) => gather(each, files, folders))); // each asks another process of the browser
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;

function foldersIn(paths: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const path of paths)
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at));
  return [...folders].toSorted();
}
