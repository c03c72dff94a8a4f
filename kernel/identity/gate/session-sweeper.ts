import type { Log } from '../../log.ts';
import type { Store } from '../../store/store.ts';
import type { Leadership } from '../../workers/leadership.ts';
import type { ApiTokens } from './api-tokens/api-tokens.ts';
import { removeExpired } from './session-rows.ts';
import type { Sessions } from './sessions.ts';

const SWEEP_MS = 3_600_000;

interface SweeperParts {
  readonly store: Store;
  readonly sessions: Sessions;
  readonly tokens: ApiTokens;
  readonly leadership: Leadership;
  readonly log: Log;
}

/** Removes sessions and API tokens that have expired, every hour: from memory in each process, from the store in the leader. */
export class SessionSweeper {
  readonly #parts: SweeperParts;
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;

  constructor(parts: SweeperParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.sweep(), SWEEP_MS).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  /** Never rejects. */
  async sweep(): Promise<void> {
    const { store, sessions, tokens, leadership, log } = this.#parts;
    const now = Date.now();
    sessions.forgetExpired(now);
    if (!leadership.isLeader) return;
    try {
      while (!this.#isClosed && (await store.write((tx) => removeExpired(tx, 'sessions', now))));
      await tokens.sweep(now, () => this.#isClosed);
    } catch (error) {
      log.warn({ err: error }, 'expired sessions could not be removed; the next sweep tries again');
    }
  }
}
