import { isIP } from 'node:net';

/**
 * Whether a `Host` header may reach the admin address: literal addresses, localhost and configured names. A page
 * that rebinds its own name to this address (DNS rebinding) sends its own name, and is refused.
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
