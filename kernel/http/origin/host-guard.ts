import { isIP } from 'node:net';

/**
 * Allows requests to the admin address only if their `Host` is a literal IP address, localhost or a configured name.
 * This stops DNS rebinding: a page that points its own name at this address still sends that name as `Host`.
 */
export class HostGuard {
  readonly #names: ReadonlySet<string>;
  /** The host that was allowed last, because almost all requests name the same. */
  #last = '';

  constructor(names: readonly string[]) {
    this.#names = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  }

  allows(host: string): boolean {
    if (host === this.#last && host !== '') return true;
    const name = host
      .replace(/:\d{1,5}$/, '')
      .replace(/^\[|\]$/g, '')
      .toLowerCase();
    const isAllowed = isIP(name) !== 0 || this.#names.has(name);
    if (isAllowed) this.#last = host;
    return isAllowed;
  }
}
