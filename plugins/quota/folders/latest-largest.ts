import { setTimeout as delay } from 'node:timers/promises';
import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { dropLargest, keepLargest, readLargest, type MeasuredFolders } from '../store.ts';
import type { FolderSizes } from './folder-sizes.ts';

/** How long a request waits for new figures where there are some of before. What took no longer is not kept. */
const WAIT_MS = 1000;

/**
 * The largest folders of folders. Where these take long to measure, the figures of before are the answer while new ones are on their
 * way, which then wait for no request.
 */
export class LatestLargest {
  readonly #host: Pick<Host, 'local' | 'identity' | 'log'>;
  readonly #sizes: FolderSizes;
  readonly #waitMs: number;

  constructor(host: Pick<Host, 'local' | 'identity' | 'log'>, sizes: FolderSizes, waitMs = WAIT_MS) {
    this.#host = host;
    this.#sizes = sizes;
    this.#waitMs = waitMs;
  }

  /** Errors: those of `FolderSizes`, 409 `other_node`. */
  async of(
    account: Account,
    components: readonly string[],
    signal: AbortSignal,
  ): Promise<MeasuredFolders & { readonly isOld: boolean }> {
    const path = components.join('/');
    const kept = await readLargest(this.#host.local, account.id, path);
    const keep = (measured: MeasuredFolders) => this.#keep(account, path, measured, kept !== undefined);
    const lasting = kept === undefined ? signal : new AbortController().signal;
    const fresh = this.#sizes
      .largest(account, components, lasting, keep)
      .then((measured) => ({ ...measured, isOld: false }));
    if (kept === undefined) return fresh;
    fresh.catch((err: unknown) => {
      this.#host.log.debug({ err, account: account.username }, 'the largest folders were not measured anew');
    });
    return Promise.race([fresh, delay(this.#waitMs, { ...kept, isOld: true }, { ref: false })]);
  }

  async #keep(account: Account, path: string, measured: MeasuredFolders, isKept: boolean): Promise<void> {
    if (Date.now() - measured.at >= this.#waitMs) await keepLargest(this.#host, account, path, measured);
    else if (isKept) await dropLargest(this.#host.local, account.id, path);
  }
}
