import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { undefinedIfMissing } from '../../../kernel/kit/files/if-missing.ts';
import { isRunning } from '../../../kernel/kit/programs/process-id.ts';
import { POOL_NAME } from './pool.ts';

const ACCOUNT = /^\d{1,10}$/;
/** The files of a pool by their endings: what identifies its master, and that this one has been told to end. */
const [CONFIG, SOCKET, MASTER, ENDING] = ['.conf', '.sock', '.master', '.ending'] as const;

/** A master and the state in which it is. */
export interface Master {
  /** See `identify`. */
  readonly id: string;
  readonly isEnding: boolean;
}

/**
 * The files of pools: a folder for each account, which its scripts cannot enter, and which only root changes. They outlive the
 * process that starts masters, so that the next one knows what runs.
 */
export class PoolFolder {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Returns a folder in which nobody else looks for pools, for those that are none of an account. */
  apart(): PoolFolder {
    return new PoolFolder(join(this.#root, `proof-${randomUUID().slice(0, 8)}`));
  }

  /** Removes all of it. */
  async dispose(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true });
  }

  socket(accountId: number, name: string): string {
    return this.#file(accountId, name, SOCKET);
  }

  /** Writes the settings of a pool, and resolves with the path. The web server's group passes to the socket. */
  async write(accountId: number, name: string, settings: string, webGid: number): Promise<string> {
    const folder = join(this.#root, String(accountId));
    await mkdir(this.#root, { recursive: true, mode: 0o755 });
    await chmod(this.#root, 0o755); // whatever the umask
    await mkdir(folder, { recursive: true, mode: 0o710 });
    await chown(folder, 0, webGid);
    await chmod(folder, 0o710);
    await rm(this.socket(accountId, name), { force: true });
    const file = this.#file(accountId, name, CONFIG);
    await writeFile(file, settings, { mode: 0o600 });
    return file;
  }

  setMaster(accountId: number, name: string, id: string): Promise<void> {
    return writeFile(this.#file(accountId, name, MASTER), id, { mode: 0o600 });
  }

  /** Says of a master that it has been told to end. */
  setEnding(accountId: number, name: string): Promise<void> {
    return rename(this.#file(accountId, name, MASTER), this.#file(accountId, name, ENDING));
  }

  /** Resolves with the master of a pool if it runs. Rejects if that cannot be read: a second one would take its socket. */
  async master(accountId: number, name: string): Promise<Master | undefined> {
    for (const end of [MASTER, ENDING]) {
      const id = await readFile(this.#file(accountId, name, end), 'utf8').catch(undefinedIfMissing);
      if (id !== undefined && id !== '' && isRunning(id)) return { id, isEnding: end === ENDING };
    }
    return undefined;
  }

  /** Removes what a pool without a master has left. */
  async clear(accountId: number, name: string): Promise<void> {
    for (const end of [SOCKET, CONFIG, MASTER, ENDING]) await rm(this.#file(accountId, name, end), { force: true });
  }

  /** Removes the folder of an account. */
  async remove(accountId: number): Promise<void> {
    await rm(join(this.#root, String(accountId)), { recursive: true, force: true });
  }

  /** Resolves with the accounts that have a folder. */
  async accounts(): Promise<number[]> {
    return (await namesIn(this.#root)).filter((name) => ACCOUNT.test(name)).map(Number);
  }

  /** Resolves with the names of an account's pools, whether or not they run. */
  async pools(accountId: number): Promise<string[]> {
    const names = await namesIn(join(this.#root, String(accountId)));
    const pools = names.filter((name) => name.endsWith(CONFIG)).map((name) => name.slice(0, -CONFIG.length));
    return pools.filter((name) => POOL_NAME.test(name));
  }

  #file(accountId: number, name: string, end: string): string {
    return join(this.#root, String(accountId), `${name}${end}`);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
}
