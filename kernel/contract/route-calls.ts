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
 * Calls routes for the client of another route, in this process: for plugins that offer the same operations in another form. A
 * called route decides as if the client had sent the request itself, without cookies, so that the form adds no rights.
 */
export interface RouteCalls {
  /** Returns the routes of the call's address that its client may use. */
  usable(call: Call): readonly RouteInfo[];
  /**
   * Calls a route by method and path, such as `GET /api/accounts/:username`; not one that streams or that calls others. Rejects
   * with the `HttpError` that the client would get, and 404 `not_found` for a route of a plugin that is off.
   */
  call(call: Call, operation: string, input?: RouteInput): Promise<RouteAnswer>;
}
