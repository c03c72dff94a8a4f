import { join } from 'node:path';
import type { Log } from '../log.ts';
import { FileLock } from './file-lock.ts';

const LOCK = 'leader.lock';
/** How soon the work of a leader that died goes on elsewhere. */
const TRY_MS = 1000;

/**
 * Decides which process does what a node does once, such as writing its history. A process that is alone always leads; of
 * several, the one that holds a lock, which the system takes from it when it ends. A leader leads until it ends.
 */
export class Leadership {
  #isLeader: boolean;
  readonly #waiting = new Set<() => void>();
  readonly #lock: FileLock | undefined;
  #timer: NodeJS.Timeout | undefined;
  #trying: Promise<void> | undefined;

  private constructor(isLeader: boolean, lock?: FileLock) {
    this.#isLeader = isLeader;
    this.#lock = lock;
  }

  /** Of a process that has no others beside it. */
  static alone(): Leadership {
    return new Leadership(true);
  }

  /** Of a process that never leads, such as a command. */
  static none(): Leadership {
    return new Leadership(false);
  }

  /** Tries to lead, once now and every second from then on. */
  static async among(dataDir: string, log: Log): Promise<Leadership> {
    const leadership = new Leadership(false, await FileLock.open(join(dataDir, LOCK)));
    const attempt = () =>
      (leadership.#trying ??= leadership
        .#try()
        .catch((error: unknown) => log.error({ err: error }, 'the lock of the leader cannot be taken; will retry'))
        .finally(() => (leadership.#trying = undefined)));
    await attempt();
    if (!leadership.#isLeader) leadership.#timer = setInterval(() => void attempt(), TRY_MS).unref();
    return leadership;
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  /** Calls back when this process takes over, unless it leads already; returns a function that cancels this. */
  onTakeOver(callback: () => void): () => void {
    if (!this.#isLeader) this.#waiting.add(callback);
    return () => void this.#waiting.delete(callback);
  }

  /** Lets another process lead. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#waiting.clear();
    await this.#trying;
    await this.#lock?.close();
  }

  async #try(): Promise<void> {
    if ((await this.#lock?.take()) !== undefined) return;
    this.#isLeader = true;
    clearInterval(this.#timer);
    for (const callback of this.#waiting) callback();
    this.#waiting.clear();
  }
}
