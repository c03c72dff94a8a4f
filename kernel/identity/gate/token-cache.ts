/** The maximum number of cached tokens; each takes about 0.5 KiB. */
const KEPT = 50_000;
/**
 * The number of characters at a header's end that serve as its key. They belong to the signature, so they are
 * practically unique. Hashing all 300 characters of a new string would cost more than the rest of the authorization.
 */
const KEY_LENGTH = 12;

/** Caches the sessions of verified tokens by their whole `Authorization` header. Evicts the oldest first. */
export class TokenCache<S extends { readonly expiresAt: number }> {
  readonly #byEnd = new Map<string, { readonly header: string; readonly session: S }>();

  get(header: string): S | undefined {
    const found = this.#byEnd.get(header.slice(-KEY_LENGTH));
    return found !== undefined && found.header === header ? found.session : undefined;
  }

  set(header: string, session: S): void {
    this.#byEnd.set(header.slice(-KEY_LENGTH), { header, session });
    if (this.#byEnd.size > KEPT) for (const oldest of this.#byEnd.keys()) if (this.#byEnd.delete(oldest)) break;
  }

  delete(header: string): void {
    if (this.get(header) !== undefined) this.#byEnd.delete(header.slice(-KEY_LENGTH));
  }

  /** Removes sessions that have expired by `now`, in milliseconds since 1970. */
  sweep(now: number): void {
    for (const [end, { session }] of this.#byEnd) if (session.expiresAt <= now) this.#byEnd.delete(end);
  }
}
