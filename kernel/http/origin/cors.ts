import type { Headers } from '../response/response-writer.ts';

/** Request headers that every route accepts from another origin, in addition to those that it declares. */
const REQUEST_HEADERS = ['authorization', 'content-type', 'last-event-id'];
/** How long a browser may cache a preflight reply. */
const MAX_AGE_SECONDS = 600;
/** Sent with every reply, so that caches keep the replies to different origins apart. */
const VARY = ['Vary', 'Origin'] as const;

/**
 * The origins whose web pages a browser lets use one address (Fetch standard, CORS protocol). Created only where
 * origins are configured. Credentials are never allowed: access takes the token, which the page must send itself.
 */
export class Cors {
  readonly #others: Headers = [VARY];
  readonly #allowed: ReadonlyMap<string, Headers>;

  constructor(origins: readonly string[]) {
    this.#allowed = new Map(
      origins.map((origin) => [
        origin,
        [VARY, ['Access-Control-Allow-Origin', origin], ['Access-Control-Expose-Headers', '*']],
      ]),
    );
  }

  /**
   * Returns the CORS headers for a request with this `Origin`, which may be empty. They hold only configured values,
   * never text from the request.
   */
  headers(origin: string): Headers {
    return this.#allowed.get(origin) ?? this.#others;
  }

  /** Returns the headers of a preflight reply, or `undefined` if the origin is not allowed. */
  preflight(origin: string, methods: readonly string[], requestHeaders: readonly string[]): Headers | undefined {
    if (!this.#allowed.has(origin)) return undefined;
    return [
      VARY,
      ['Access-Control-Allow-Origin', origin],
      ['Access-Control-Allow-Methods', methods.join(', ')],
      ['Access-Control-Allow-Headers', [...new Set([...REQUEST_HEADERS, ...requestHeaders])].join(', ')],
      ['Access-Control-Max-Age', String(MAX_AGE_SECONDS)],
    ];
  }
}
