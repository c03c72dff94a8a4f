import { isIP } from 'node:net';

/**
 * Allows requests to the admin address only if their `Host` is a literal IP address, localhost or a configured name.
 * This stops DNS rebinding: a page that points its own name at this address still sends that name as `Host`.
 */
export class HostGuard {
  readonly #names: ReadonlySet<string>;
  readonly #seen = new Map<string, boolean>();

  constructor(names: readonly string[]) {
    this.#names = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  }

  allows(host: string): boolean {
    let allowed = this.#seen.get(host);
    if (allowed === undefined) {
      const name = host
        .replace(/:\d{1,5}$/, '')
        .replace(/^\[|\]$/g, '')
        .toLowerCase();
      allowed = isIP(name) !== 0 || this.#names.has(name);
      if (allowed && this.#seen.size < 64) this.#seen.set(host, true);
    }
    return allowed;
  }
}
