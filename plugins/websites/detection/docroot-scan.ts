/** Looks for applications in a docroot and the folders below it. */
import type { FileHandle } from 'node:fs/promises';
import { Folder, isMissing } from '../../../kernel/system/safe-folder.ts';
import { DETECTORS, type Detector } from './detectors.ts';

/** How deep below a docroot, and into how many of its folders, it looks. */
const DEPTH = 3;
const FOLDERS = 400;
/** How much of a file is read for a version; all that are known stand in the first part, but for lock files. */
const VERSION_BYTES = 2 << 20;
/** A folder that changed this recently can change again without its time telling, so it is looked at again. */
const UNSETTLED_MS = 2000;
/** Folders that hold no sites of their own. */
const SKIPPED = /^(\.|node_modules$|vendor$|cgi-bin$|wp-(admin|content|includes)$)/;
/** Nor do these inside an application. */
const APPLICATION_FOLDERS = new Set([
  'administrator',
  'api',
  'app',
  'assets',
  'bin',
  'bootstrap',
  'cache',
  'components',
  'config',
  'core',
  'extensions',
  'image',
  'images',
  'img',
  'includes',
  'language',
  'lib',
  'libraries',
  'media',
  'misc',
  'modules',
  'plugins',
  'pub',
  'public',
  'resources',
  'skins',
  'src',
  'storage',
  'system',
  'templates',
  'tests',
  'themes',
  'tmp',
  'var',
  'web',
]);

export interface FoundSite {
  /** Components below the docroot. */
  readonly path: string;
  readonly type: string;
  /** Empty when its own files do not say. */
  readonly version: string;
}

/** What was looked at, by path below the docroot, with its time; -1 = it has to be looked at again, 0 = it was not there. */
export type Stamps = Readonly<Record<string, number>>;

export interface DocrootScan {
  readonly found: readonly FoundSite[];
  readonly stamps: Stamps;
}

/**
 * The applications of a docroot, or `undefined` when nothing changed since `before`. Folders in `excluded` (paths below
 * the docroot) are left out, because they are docroots of their own. A docroot that is not there holds nothing.
 */
export async function scanDocroot(
  filesRoot: string,
  docroot: readonly string[],
  excluded: ReadonlySet<string>,
  before: Stamps = {},
): Promise<DocrootScan | undefined> {
  if (await isUnchanged(filesRoot, docroot, before)) return undefined;
  const search = new Search(filesRoot, docroot, excluded);
  await search.run();
  return { found: search.found, stamps: search.stamps };
}

async function isUnchanged(filesRoot: string, docroot: readonly string[], before: Stamps): Promise<boolean> {
  const entries = Object.entries(before);
  for (const [path, time] of entries)
    if (time < 0 || (await timeOf(filesRoot, located(docroot, path))) !== time) return false;
  return entries.length > 0;
}

/** Time of a folder or file; -1 when it is too young to be trusted, 0 when it is not there. */
async function timeOf(filesRoot: string, path: readonly string[]): Promise<number> {
  const handle = await openAny(filesRoot, path);
  if (handle === undefined) return 0;
  try {
    const { mtimeMs, ctimeMs } = await handle.stat();
    const time = Math.max(mtimeMs, ctimeMs);
    return time > Date.now() - UNSETTLED_MS ? -1 : time;
  } finally {
    await handle.close();
  }
}

/** A file, or a folder where the path ends with `''`. */
async function openAny(filesRoot: string, path: readonly string[]): Promise<FileHandle | undefined> {
  return ifPresent(async () =>
    path.at(-1) === ''
      ? (
          await Folder.open(
            filesRoot,
            path.filter((name) => name !== ''),
          )
        ).handle
      : openFile(filesRoot, path),
  );
}

/** A file below the files root, each folder on the way opened without following links. */
export async function openFile(filesRoot: string, path: readonly string[]): Promise<FileHandle> {
  const folder = await Folder.open(filesRoot, path.slice(0, -1));
  try {
    return await folder.file(path.at(-1) ?? '');
  } finally {
    await folder.close();
  }
}

export async function ifPresent<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'EACCES') return undefined;
    throw error;
  }
}

const partsOf = (path: string): string[] => path.split('/');

/** Components of what a stamp names: `''` at the end for a folder, `..` in front for the folder above the docroot. */
function located(docroot: readonly string[], path: string): string[] {
  const parts = partsOf(path);
  return parts[0] === '..' ? [...docroot.slice(0, -1), ...parts.slice(1)] : [...docroot, ...parts];
}

class Search {
  readonly found: FoundSite[] = [];
  readonly stamps: Record<string, number> = {};
  readonly #filesRoot: string;
  readonly #docroot: readonly string[];
  readonly #excluded: ReadonlySet<string>;
  #folders = 0;

  constructor(filesRoot: string, docroot: readonly string[], excluded: ReadonlySet<string>) {
    this.#filesRoot = filesRoot;
    this.#docroot = docroot;
    this.#excluded = excluded;
  }

  /** Breadth first, so that where the bound cuts, it cuts the deepest. */
  async run(): Promise<void> {
    let level: { path: string; isInside: boolean }[] = [{ path: '', isInside: false }];
    for (let depth = 0; depth <= DEPTH && level.length > 0; depth += 1) {
      const next: typeof level = [];
      for (const { path, isInside } of level) {
        if (this.#folders >= FOLDERS) return;
        next.push(...(await this.#visit(path, isInside)));
      }
      level = next;
    }
  }

  /** Looks at one folder; resolves to the folders below it that are worth a look. */
  async #visit(path: string, isInside: boolean): Promise<{ path: string; isInside: boolean }[]> {
    this.#folders += 1;
    const components = path === '' ? this.#docroot : located(this.#docroot, path);
    await this.#stamp(path === '' ? '/' : `${path}/`);
    const entries = await ifPresent(() => listing(this.#filesRoot, components));
    if (entries === undefined) return [];
    const here = await this.#detect(components, path, entries, isInside);
    if (here !== undefined) this.found.push(here);
    const folders = [...entries]
      .filter(
        ([name, isFolder]) => isFolder && !SKIPPED.test(name) && !(here !== undefined && APPLICATION_FOLDERS.has(name)),
      )
      .map(([name]) => (path === '' ? name : `${path}/${name}`));
    return folders
      .filter((folder) => !this.#excluded.has(folder))
      .toSorted()
      .map((folder) => ({ path: folder, isInside: isInside || here !== undefined }));
  }

  async #detect(
    components: readonly string[],
    path: string,
    entries: ReadonlyMap<string, boolean>,
    isInside: boolean,
  ): Promise<FoundSite | undefined> {
    const strong = await this.#first(
      DETECTORS.filter(({ isWeak }) => isWeak !== true),
      components,
      path,
      entries,
    );
    if (strong !== undefined || isInside) return strong;
    const around = path === '' ? await this.#detectAround(components) : undefined;
    return (
      around ??
      this.#first(
        DETECTORS.filter(({ isWeak, type }) => isWeak === true && (path === '' || type !== 'static')),
        components,
        path,
        entries,
      )
    );
  }

  /** A docroot that is the public folder of an application whose root is one above. */
  async #detectAround(components: readonly string[]): Promise<FoundSite | undefined> {
    const own = components.at(-1);
    const parent = components.slice(0, -1);
    const candidates = DETECTORS.filter(({ publicFolder }) => publicFolder === own && own !== undefined);
    const entries = candidates.length === 0 ? undefined : await ifPresent(() => listing(this.#filesRoot, parent));
    const found = entries === undefined ? undefined : await this.#first(candidates, parent, '..', entries);
    return found === undefined ? undefined : { ...found, path: '' };
  }

  async #first(
    detectors: readonly Detector[],
    components: readonly string[],
    path: string,
    entries: ReadonlyMap<string, boolean>,
  ): Promise<FoundSite | undefined> {
    for (const detector of detectors)
      if (await this.#fits(detector, path, entries))
        return { path, type: detector.type, version: await this.#version(detector, path, components) };
    return undefined;
  }

  async #fits({ markers }: Detector, folder: string, entries: ReadonlyMap<string, boolean>): Promise<boolean> {
    for (const marker of markers) {
      const paths = [marker].flat().filter((path) => entries.has(path.split('/', 1)[0] ?? ''));
      let isPresent = false;
      for (const path of paths)
        isPresent ||= !path.includes('/') || (await this.#exists(folder === '' ? path : `${folder}/${path}`));
      if (!isPresent) return false;
    }
    return true;
  }

  /** Whether there is a file or folder; its stamp tells when that changes, as while an application is being uploaded. */
  async #exists(path: string): Promise<boolean> {
    return (await this.#stamp(path)) !== 0 || (await this.#stamp(`${path}/`)) !== 0;
  }

  async #version({ versions }: Detector, path: string, components: readonly string[]): Promise<string> {
    for (const { file, pattern } of versions) {
      await this.#stamp(path === '' ? file : `${path}/${file}`);
      const text = await ifPresent(() => head(this.#filesRoot, [...components, ...partsOf(file)]));
      const version = text === undefined ? undefined : pattern.exec(text)?.[1];
      if (version !== undefined && /^[\w.+~-]+$/.test(version)) return version;
    }
    return '';
  }

  async #stamp(path: string): Promise<number> {
    return (this.stamps[path] = await timeOf(this.#filesRoot, located(this.#docroot, path)));
  }
}

/** Names of a folder, and whether each is a folder itself. Links and names that are not UTF-8 are left out. */
async function listing(filesRoot: string, components: readonly string[]): Promise<Map<string, boolean>> {
  const folder = await Folder.open(filesRoot, components);
  try {
    const entries = (await folder.entries()).filter(
      (entry) => (entry.isDirectory() || entry.isFile()) && Buffer.from(entry.name.toString()).equals(entry.name),
    );
    return new Map(entries.map((entry) => [entry.name.toString(), entry.isDirectory()]));
  } finally {
    await folder.close();
  }
}

/** The first part of a file, as text. */
async function head(filesRoot: string, path: readonly string[]): Promise<string> {
  const handle = await openFile(filesRoot, path);
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(Math.min(size, VERSION_BYTES)),
      0,
      Math.min(size, VERSION_BYTES),
      0,
    );
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
