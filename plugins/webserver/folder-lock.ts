import { randomUUID } from 'node:crypto';
import { isRunning, PROCESS_ID } from '../../kernel/system/process-id.ts';
import type { VhostFolder } from './vhost-folder.ts';

const FILE = '.hostkeep-owner';

/**
 * Who keeps the folder in step with the domains: one process at a time, so that a command like `hostkeep doctor` beside
 * a running server takes nothing for an orphan that the server is just adding.
 */
export class Owner {
  readonly #folder: VhostFolder;
  readonly #own = `${PROCESS_ID} ${randomUUID()}`;

  constructor(folder: VhostFolder) {
    this.#folder = folder;
  }

  /** `elsewhere` when another process that lives keeps the folder, `beside` when an earlier configuration of this one still does. */
  async take(): Promise<'alone' | 'beside' | 'elsewhere'> {
    const [before = ''] = (await this.#folder.read(FILE))?.split(' ') ?? [];
    const isAlive = isRunning(before);
    if (isAlive && before !== PROCESS_ID) return 'elsewhere';
    await this.#folder.put(FILE, this.#own);
    return isAlive ? 'beside' : 'alone';
  }

  /** Leaves the folder to the next one, unless that took it already. */
  async release(): Promise<void> {
    if ((await this.#folder.read(FILE)) === this.#own) await this.#folder.put(FILE, undefined);
  }
}
