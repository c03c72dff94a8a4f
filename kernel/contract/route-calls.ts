import type { RouteInfo } from './node-info.ts';
import type { Reply } from './reply.ts';
import type { Call } from './route-spec.ts';

type Values = Readonly<Record<string, string | number | boolean | undefined>>;

/** The parts of a request, as a client would send them. */
export interface RouteInput {
  /** Values by the names in the path, not percent-encoded. */
  readonly params?: Values;
  /** Values by the names in the query; those that are `undefined` are left out. */
  readonly query?: Values;
  /** Defaults are written into it. */
  readonly body?: unknown;
  /** Values of the headers that the route reads, by their names in lower case; the others are empty. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer, as a client would get it. */
export interface RouteAnswer {
  readonly status: number;
  /** The JSON, which must not be changed; `undefined` if the answer is something else. */
  readonly value: unknown;
  /** The answer as it is sent, if its bytes are ready. */
  readonly reply: Reply | undefined;
}

/**
 * Calls routes of this node for the client of another route, in this process: for plugins that offer the same operations in
 * another form. A called route decides as if the client had sent the request itself, so that the form adds no rights: account,
 * address, API token, client's IP address and end of the connection are those of the given call. Cookies are not passed on.
 */
export interface RouteCalls {
  /** Returns the routes of the call's address that its client may use; the same may be refused for what is asked of them. */
  usable(call: Call): readonly RouteInfo[];
  /**
   * Calls a route by method and path, such as `GET /api/accounts/:username`; aliases count. Rejects with the `HttpError` that
   * the client would get: 401 and 403 by its gate, 400 for input that does not fit its schemas, its own errors, and 404
   * `not_found` if the call's address has no such route, because a plugin is off. Routes that stream or that call others
   * cannot be called.
   */
  call(call: Call, operation: string, input?: RouteInput): Promise<RouteAnswer>;
}
