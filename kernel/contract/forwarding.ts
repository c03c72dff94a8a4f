import { Type } from '../schema.ts';
import type { Address } from './route-spec.ts';
import type { Reply, Stream } from './reply.ts';

/** Returns the schema of the name of a node. */
export const NodeName = (description: string) => Type.String({ minLength: 1, maxLength: 64, description });
/** The member of a query for what is about one machine; see `RouteSpec.at`. */
export const ofNode = {
  node: Type.Optional(NodeName('Which node of a fleet answers, by its name; the one that was asked unless given')),
};

/** A request that another node of the fleet answers. It was admitted here, and that node admits it again. */
export interface ForwardedRequest {
  readonly address: Address;
  readonly method: string;
  /** The path, encoded, with its query. */
  readonly path: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON */
  readonly body: string | undefined;
  /** The client's address. */
  readonly ip: string;
  /** Of the account that asks. */
  readonly accountId: number;
  /** Aborted if the client disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Sends a request to a node of the fleet, by its name, and resolves with the answer. Errors: 404 `node_not_found`, 503
 * `node_unreachable`.
 */
export type Forward = (node: string, request: ForwardedRequest) => Promise<Reply | Stream>;
