/** Finds applications in a docroot and the folders below it. */
import type { FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { listFolder, readHead, modifiedTime } from './docroot-files.ts';
import { DETECTORS, type Detector } from './detectors.ts';

/** How deep below a docroot, and into how many of its folders, a scan goes. */
const MAX_DEPTH = 3;
const MAX_FOLDERS = 400;
/** How much of a file is searched for a version; only lock files have theirs further down than a few lines. */
const VERSION_BYTES = 2 << 20;
/** Folders that contain no sites of their own. */
const SKIPPED = /^(\.|node_modules$|vendor$|cgi-bin$|wp-(admin|content|includes)$)/;
/** Folders that contain none inside an application. */
const APPLICATION_FOLDERS = new Set(
  (
    'administrator api app assets bin bootstrap cache components config core extensions image images img ' +
    'includes language lib libraries media misc modules plugins pub public resources skins src storage ' +
    'system templates tests themes tmp var web'
  ).split(' '),
);

export interface FoundSite {
  /** Components below the docroot, joined by `/`. */
  readonly path: string;
  readonly type: string;
  /** Empty when the application's own files do not give it. */
  readonly version: string;
}

/** Times of the files and folders that a scan depends on, by path below the docroot; see `modifiedTime`. */
export type Stamps = Readonly<Record<string, number>>;

export interface DocrootScan {
  readonly found: readonly FoundSite[];
  readonly stamps: Stamps;
}

/**
 * Scans a docroot for applications. Returns `undefined` when nothing changed since `before`. The folders in `excluded`
 * (paths below the docroot) are docroots of their own. A docroot that does not exist contains nothing.
 */
export async function scanDocroot(
  root: FilesRoot,
  docroot: readonly string[],
  excluded: ReadonlySet<string>,
  before: Stamps = {},
): Promise<DocrootScan | undefined> {
  if (await isUnchanged(root, docroot, before)) return undefined;
  const scan = new Scan(root, docroot, excluded);
  await scan.run();
  return { found: scan.found, stamps: scan.stamps };
}

async function isUnchanged(root: FilesRoot, docroot: readonly string[], before: Stamps): Promise<boolean> {
  const entries = Object.entries(before);
  for (const [path, time] of entries)
    if (time < 0 || (await modifiedTime(root, componentsAt(docroot, path))) !== time) return false;
  return entries.length > 0;
}

/** Components of a path below the docroot: `''` at the end marks a folder, `..` in front the folder above it. */
function componentsAt(docroot: readonly string[], path: string): string[] {
  const parts = path.split('/');
  return parts[0] === '..' ? [...docroot.slice(0, -1), ...parts.slice(1)] : [...docroot, ...parts];
}

const below = (path: string, name: string): string => (path === '' ? name : `${path}/${name}`);

interface FolderToScan {
  /** Below the docroot. */
  readonly path: string;
  /** Whether a folder above it contains an application. */
  readonly isInside: boolean;
}

class Scan {
  readonly found: FoundSite[] = [];
  readonly stamps: Record<string, number> = {};
  readonly #root: FilesRoot;
  readonly #docroot: readonly string[];
  readonly #excluded: ReadonlySet<string>;
  #folders = 0;

  constructor(root: FilesRoot, docroot: readonly string[], excluded: ReadonlySet<string>) {
    this.#root = root;
    this.#docroot = docroot;
    this.#excluded = excluded;
  }

  /** Breadth first, so that the limit cuts off the deepest folders. */
  async run(): Promise<void> {
    let level: FolderToScan[] = [{ path: '', isInside: false }];
    for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
      const next: FolderToScan[] = [];
      for (const folder of level) {
        if (this.#folders >= MAX_FOLDERS) return;
        for (const each of await this.#visit(folder)) next.push(each);
      }
      level = next;
    }
  }

  /** Scans one folder. Resolves to the folders below it that are to be scanned. */
  async #visit({ path, isInside }: FolderToScan): Promise<FolderToScan[]> {
    this.#folders += 1;
    const components = path === '' ? this.#docroot : componentsAt(this.#docroot, path);
    await this.#stamp(path === '' ? '/' : `${path}/`);
    const entries = await listFolder(this.#root, components);
    if (entries === undefined) return [];
    const site = await this.#detect(components, path, entries, isInside);
    if (site !== undefined) this.found.push(site);
    return [...entries]
      .filter(([name, isFolder]) => isFolder && !SKIPPED.test(name))
      .filter(([name]) => site === undefined || !APPLICATION_FOLDERS.has(name))
      .map(([name]) => below(path, name))
      .filter((folder) => !this.#excluded.has(folder))
      .toSorted()
      .map((folder) => ({ path: folder, isInside: isInside || site !== undefined }));
  }

  /** Tries strong detectors, then those of an application around the docroot, then weak ones. */
  async #detect(
    components: readonly string[],
    path: string,
    entries: ReadonlyMap<string, boolean>,
    isInside: boolean,
  ): Promise<FoundSite | undefined> {
    const strong = DETECTORS.filter(({ isWeak }) => isWeak !== true);
    const weak = DETECTORS.filter(({ isWeak, type }) => isWeak === true && (path === '' || type !== 'static'));
    const site = await this.#firstMatch(strong, components, path, entries);
    if (site !== undefined || isInside) return site;
    const around = path === '' ? await this.#detectAround(components) : undefined;
    return around ?? this.#firstMatch(weak, components, path, entries);
  }

  /** Detects the application whose public folder the docroot is. */
  async #detectAround(components: readonly string[]): Promise<FoundSite | undefined> {
    const own = components.at(-1);
    const parent = components.slice(0, -1);
    const candidates = DETECTORS.filter(({ publicFolder }) => publicFolder === own && own !== undefined);
    const entries = candidates.length === 0 ? undefined : await listFolder(this.#root, parent);
    const site = entries === undefined ? undefined : await this.#firstMatch(candidates, parent, '..', entries);
    return site === undefined ? undefined : { ...site, path: '' };
  }

  async #firstMatch(
    detectors: readonly Detector[],
    components: readonly string[],
    path: string,
    entries: ReadonlyMap<string, boolean>,
  ): Promise<FoundSite | undefined> {
    for (const detector of detectors)
      if (await this.#matches(detector, path, entries))
        return { path, type: detector.type, version: await this.#version(detector, path, components) };
    return undefined;
  }

  async #matches({ markers }: Detector, folder: string, entries: ReadonlyMap<string, boolean>): Promise<boolean> {
    for (const marker of markers) {
      const paths = [marker].flat().filter((path) => entries.has(path.split('/', 1)[0] ?? ''));
      let isPresent = false;
      for (const path of paths) isPresent ||= !path.includes('/') || (await this.#exists(below(folder, path)));
      if (!isPresent) return false;
    }
    return true;
  }

  /** Stamps the path either way, so that a scan during an upload is repeated when the upload goes on. */
  async #exists(path: string): Promise<boolean> {
    return (await this.#stamp(path)) !== 0 || (await this.#stamp(`${path}/`)) !== 0;
  }

  async #version({ versions }: Detector, path: string, components: readonly string[]): Promise<string> {
    for (const { file, pattern } of versions) {
      await this.#stamp(below(path, file));
      const text = await readHead(this.#root, [...components, ...file.split('/')], VERSION_BYTES);
      const version = text === undefined ? undefined : pattern.exec(text)?.[1];
      if (version !== undefined && /^[\w.+~-]+$/.test(version)) return version;
    }
    return '';
  }

  async #stamp(path: string): Promise<number> {
    return (this.stamps[path] = await modifiedTime(this.#root, componentsAt(this.#docroot, path)));
  }
}
