/** How many verified tokens are remembered; each is about 0.5 KiB. */
const KEPT = 50_000;
/**
 * What of a header is the key: its end, which is of the signature and as good as unique. A header is a new string in each
 * request, and to hash all of its 300 characters costs more than the rest of a gate.
 */
const KEY_LENGTH = 12;

/** The sessions of verified tokens, by their whole `Authorization` header; the oldest go first. */
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

  /** Forgets those that ended before `now`, in milliseconds since 1970. */
  sweep(now: number): void {
    for (const [end, { session }] of this.#byEnd) if (session.expiresAt <= now) this.#byEnd.delete(end);
  }
}
