import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LRUCache } from '../../../kernel/kit/waiting/bounded-cache.ts';
import { replaceFile } from '../../../kernel/kit/files/atomic-file.ts';

/** The last bytes of every PNG: a file without them was not written to its end. */
const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex');

interface StoredScreenshot {
  readonly png: Uint8Array;
  /** Milliseconds since 1970. */
  readonly takenAt: number;
}

/**
 * Screenshots in the data folder, as `<account>/<hash of the domain>/<hash of the URL>.png`: the account is part of
 * every path. A file's modification time is when the screenshot was taken, its access time when it was last used.
 */
export class DiskCache {
  readonly #folder: string;
  readonly #ttlMs: number;
  /** The files by path below the folder, the least recently used first to be removed. */
  readonly #index: LRUCache<string, true>;
  readonly #onError: (error: unknown) => void;
  #scan: Promise<void> | undefined;

  constructor(folder: string, ttlMs: number, limitBytes: number, onError: (error: unknown) => void) {
    this.#folder = folder;
    this.#ttlMs = ttlMs;
    this.#onError = onError;
    this.#index = new LRUCache({
      maxSize: Math.max(1, limitBytes), // 0 would mean no limit
      dispose: (_, path, reason) => {
        if (reason === 'evict') this.#removeFile(path);
      },
    });
  }

  /** Returns the screenshot, unless it is missing, incomplete, too old, or dated far ahead by a wrong clock. */
  async read(accountId: number, domain: string, url: string): Promise<StoredScreenshot | undefined> {
    await this.#ready();
    const path = pathOf(accountId, domain, url);
    if (this.#index.get(path) === undefined) return undefined;
    const file = join(this.#folder, path);
    const stored = await load(file);
    if (stored !== undefined && Math.abs(Date.now() - stored.takenAt) < this.#ttlMs && isWhole(stored.png)) {
      await utimes(file, new Date(), new Date(stored.takenAt)).catch(this.#onError);
      return stored;
    }
    this.#index.delete(path);
    await rm(file, { force: true });
    return undefined;
  }

  /** Writes the whole file or nothing, readable by its owner only. */
  async write(accountId: number, domain: string, url: string, { png, takenAt }: StoredScreenshot): Promise<void> {
    await this.#ready();
    const path = pathOf(accountId, domain, url);
    const file = join(this.#folder, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, png, { mode: 0o600, mtime: new Date(takenAt) });
    this.#add(path, png.byteLength);
  }

  /** Removes the account's screenshots of all domains but these. */
  async keepOnly(accountId: number, domains: Iterable<string>): Promise<void> {
    await this.#ready();
    const kept = new Set(Array.from(domains, hash));
    if (kept.size === 0) {
      deletePrefix(this.#index, `${accountId}/`);
      return rm(join(this.#folder, String(accountId)), { recursive: true, force: true });
    }
    for (const folder of await list(join(this.#folder, String(accountId)))) {
      if (kept.has(folder)) continue;
      deletePrefix(this.#index, `${accountId}/${folder}/`);
      await rm(join(this.#folder, String(accountId), folder), { recursive: true, force: true });
    }
  }

  /** The number of an account's screenshots. */
  async count(accountId: number): Promise<number> {
    await this.#ready();
    return [...this.#index.keys()].filter((path) => path.startsWith(`${accountId}/`)).length;
  }

  /** Whether there is anything of an account. */
  async holds(accountId: number): Promise<boolean> {
    return (await list(join(this.#folder, String(accountId)))).length > 0;
  }

  /** Ids of the accounts that have screenshots here. */
  async accounts(): Promise<number[]> {
    return (await list(this.#folder)).map(Number).filter(Number.isInteger);
  }

  /** Reads the index on first use, to keep startup short, and again after a failure. */
  #ready(): Promise<void> {
    this.#scan ??= this.#readIndex().catch((error: unknown) => {
      this.#scan = undefined;
      throw error;
    });
    return this.#scan;
  }

  async #readIndex(): Promise<void> {
    const found: { path: string; bytes: number; usedMs: number }[] = [];
    for (const account of await list(this.#folder)) {
      for (const domain of await list(join(this.#folder, account))) {
        for (const name of await list(join(this.#folder, account, domain))) {
          const path = `${account}/${domain}/${name}`;
          if (!name.endsWith('.png')) await rm(join(this.#folder, path), { force: true }).catch(this.#onError);
          else
            await stat(join(this.#folder, path)).then(
              ({ size, atimeMs }) => found.push({ path, bytes: size, usedMs: atimeMs }),
              this.#onError,
            );
        }
      }
    }
    for (const { path, bytes } of found.toSorted((a, b) => a.usedMs - b.usedMs)) this.#add(path, bytes);
  }

  /** Adds a file that was just written or found; one that is larger than the whole cache is removed again. */
  #add(path: string, bytes: number): void {
    this.#index.set(path, true, { size: Math.max(1, bytes) }); // an empty file, too, must have a size
    if (!this.#index.has(path)) this.#removeFile(path);
  }

  #removeFile(path: string): void {
    rm(join(this.#folder, path), { force: true }).catch(this.#onError);
  }
}

/** Forgets all entries whose key begins with the prefix. */
export function deletePrefix<V extends {}>(cache: LRUCache<string, V>, prefix: string): void {
  for (const key of [...cache.keys()]) if (key.startsWith(prefix)) cache.delete(key);
}

function pathOf(accountId: number, domain: string, url: string): string {
  return `${accountId}/${hash(domain)}/${hash(url)}.png`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function isWhole(png: Uint8Array): boolean {
  return PNG_END.equals(png.subarray(-PNG_END.length));
}

/** Returns `undefined` when the file has just been removed. */
async function load(file: string): Promise<StoredScreenshot | undefined> {
  try {
    const [png, { mtimeMs }] = await Promise.all([readFile(file), stat(file)]);
    return { png, takenAt: mtimeMs };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function list(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
