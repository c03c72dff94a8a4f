import type { Headers } from './response-headers.ts';

/** Request headers that any route may be sent from another origin, besides those that it declares. */
const REQUEST_HEADERS = ['authorization', 'content-type', 'last-event-id'];
/** How long a browser may remember what it was told before a request. */
const MAX_AGE_SECONDS = 600;
/** On every reply, because a cache must keep apart what goes to one origin and to another. */
const VARY = ['Vary', 'Origin'] as const;

/**
 * Which web pages of other origins a browser lets use one address (Fetch standard, CORS protocol). It is there only
 * where origins are configured. Cookies are never allowed: what opens a door is the token, which the page must have.
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

  /** For every reply to a request with this `Origin`, which may be empty. What is sent back comes from the configuration, never from the request. */
  headers(origin: string): Headers {
    return this.#allowed.get(origin) ?? this.#others;
  }

  /** The answer to a browser that asks before it sends a request; `undefined` where its origin is not allowed. */
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
