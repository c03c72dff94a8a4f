import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { ByteLru } from './byte-lru.ts';

/** What a PNG ends with: a file without it was not written to its end. */
const END = Buffer.from('0000000049454e44ae426082', 'hex');

export interface StoredScreenshot {
  readonly png: Uint8Array;
  /** Milliseconds since 1970. */
  readonly takenAt: number;
}

/**
 * Pictures in the data folder, as `<account>/<hash of the domain>/<hash of the address>.png`: the account is part of
 * every path. A file's modification time says when the picture was taken, its access time when it was last used.
 */
export class DiskCache {
  readonly #folder: string;
  readonly #ttlMs: number;
  readonly #index: ByteLru<true>;
  readonly #onError: (error: unknown) => void;
  #scan: Promise<void> | undefined;

  constructor(folder: string, ttlMs: number, limitBytes: number, onError: (error: unknown) => void) {
    this.#folder = folder;
    this.#ttlMs = ttlMs;
    this.#onError = onError;
    this.#index = new ByteLru(limitBytes, (path) => void rm(join(folder, path), { force: true }).catch(onError));
  }

  /** The picture, unless there is none or it is too old, or of a time far ahead that a wrong clock gave it. */
  async read(accountId: number, domain: string, url: string): Promise<StoredScreenshot | undefined> {
    await this.#ready();
    const path = pathOf(accountId, domain, url);
    if (this.#index.get(path) === undefined) return undefined;
    const file = join(this.#folder, path);
    const picture = await load(file);
    if (picture !== undefined && Math.abs(Date.now() - picture.takenAt) < this.#ttlMs && isWhole(picture.png)) {
      await utimes(file, new Date(), new Date(picture.takenAt)).catch(this.#onError);
      return picture;
    }
    this.#index.delete(path);
    await rm(file, { force: true });
    return undefined;
  }

  /** Appears whole or not at all, readable by its owner only. */
  async write(accountId: number, domain: string, url: string, { png, takenAt }: StoredScreenshot): Promise<void> {
    await this.#ready();
    const path = pathOf(accountId, domain, url);
    const file = join(this.#folder, path);
    await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
    const fresh = `${file}.${randomBytes(6).toString('hex')}.tmp`;
    const handle = await open(fresh, 'wx', 0o600);
    try {
      await handle.writeFile(png);
      await handle.utimes(new Date(), new Date(takenAt));
    } finally {
      await handle.close();
    }
    await rename(fresh, file);
    this.#index.set(path, true, png.byteLength);
  }

  /** Removes what an account has of domains other than those. */
  async keepOnly(accountId: number, domains: Iterable<string>): Promise<void> {
    await this.#ready();
    const kept = new Set(Array.from(domains, hash));
    if (kept.size === 0) {
      this.#index.deletePrefix(`${accountId}/`);
      return rm(join(this.#folder, String(accountId)), { recursive: true, force: true });
    }
    for (const folder of await list(join(this.#folder, String(accountId)))) {
      if (kept.has(folder)) continue;
      this.#index.deletePrefix(`${accountId}/${folder}/`);
      await rm(join(this.#folder, String(accountId), folder), { recursive: true, force: true });
    }
  }

  /** Whether anything of an account is here. */
  async holds(accountId: number): Promise<boolean> {
    return (await list(join(this.#folder, String(accountId)))).length > 0;
  }

  /** Accounts that have something here. */
  async accounts(): Promise<number[]> {
    return (await list(this.#folder)).map(Number).filter(Number.isInteger);
  }

  /** Read once, when first needed, because start-up is counted; failing, it is tried again. */
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
    for (const { path, bytes } of found.toSorted((a, b) => a.usedMs - b.usedMs)) this.#index.set(path, true, bytes);
  }
}

function pathOf(accountId: number, domain: string, url: string): string {
  return `${accountId}/${hash(domain)}/${hash(url)}.png`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function isWhole(png: Uint8Array): boolean {
  return END.equals(png.subarray(-END.length));
}

/** `undefined` when it has just been removed. */
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
