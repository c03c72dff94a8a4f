import { randomUUID } from 'node:crypto';
import { isRunning, PROCESS_ID } from '../../kernel/system/process-id.ts';
import type { VhostFolder } from './vhost-folder.ts';

const FILE = '.hostkeep-owner';

/**
 * A lock on the folder of virtual hosts, so that only one process reconciles it with the domains. Without it, a command
 * such as `hostkeep doctor` beside a running server would remove the file of a domain that the server is adding.
 */
export class FolderLock {
  readonly #folder: VhostFolder;
  readonly #content = `${PROCESS_ID} ${randomUUID()}`;

  constructor(folder: VhostFolder) {
    this.#folder = folder;
  }

  /**
   * Returns `held-elsewhere` when another running process has the lock. Otherwise takes it; `taken-over` means that an
   * earlier configuration of this process has not released it yet.
   */
  async acquire(): Promise<'acquired' | 'taken-over' | 'held-elsewhere'> {
    const [holder = ''] = (await this.#folder.read(FILE))?.split(' ') ?? [];
    const isHeld = isRunning(holder);
    if (isHeld && holder !== PROCESS_ID) return 'held-elsewhere';
    await this.#folder.put(FILE, this.#content);
    return isHeld ? 'taken-over' : 'acquired';
  }

  /** Does nothing when the lock was taken over. */
  async release(): Promise<void> {
    if ((await this.#folder.read(FILE)) === this.#content) await this.#folder.put(FILE, undefined);
  }
}
