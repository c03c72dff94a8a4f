import type { Tx } from '../../store/store.ts';

/** A request of a site that took long. */
export interface SlowRequest {
  readonly accountId: number;
  readonly domainId: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly tookMs: number;
  readonly method: string;
  /** With the query, as the visitor sent it: printable ASCII, of any length. */
  readonly path: string;
  readonly status: number;
}

/** The service of a plugin that keeps slow requests, for the one that reads the logs of the web server. */
export interface SlowRequests {
  /** Requests that took less are not told. */
  readonly fromMs: number;
  /** Keeps requests in the transaction that stores how far the logs were read, so that each counts once. */
  keep(tx: Tx, requests: readonly SlowRequest[]): Promise<void>;
}
