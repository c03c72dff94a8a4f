import { isRunning } from '../../../kernel/kit/programs/process-id.ts';
import type { VhostFolder } from './vhost-folder.ts';

const FILE = '.hostkeep-owner';
/** See `FolderLock.acquire`. */
export type LockResult = 'acquired' | 'taken-over' | 'held-elsewhere';

/**
 * A lock on the folder of virtual hosts, so that only one process reconciles it with the domains. Without it, a command
 * such as `hostkeep doctor` beside a running server would remove the file of a domain that the server is adding.
 */
export class FolderLock {
  readonly #folder: VhostFolder;
  readonly #holder: string;

  /** `holder` names a setup of the plugin: the identity of its process, and something of its own. */
  constructor(folder: VhostFolder, holder: string) {
    this.#folder = folder;
    this.#holder = holder;
  }

  /**
   * Returns `held-elsewhere` when another running process has the lock. Otherwise takes it; `taken-over` means that an
   * earlier configuration of this process has not released it yet.
   */
  async acquire(): Promise<LockResult> {
    const [holder = ''] = (await this.#folder.read(FILE))?.split(' ') ?? [];
    const isHeld = isRunning(holder);
    if (isHeld && holder !== this.#holder.split(' ')[0]) return 'held-elsewhere';
    await this.#folder.put(FILE, this.#holder);
    return isHeld ? 'taken-over' : 'acquired';
  }

  /** Does nothing when the lock was taken over. */
  async release(): Promise<void> {
    if ((await this.#folder.read(FILE)) === this.#holder) await this.#folder.put(FILE, undefined);
  }
}
