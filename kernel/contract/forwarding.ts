import type { Account } from '../identity/accounts/account.ts';
import { Type } from '../schema.ts';
import type { RouteInfo } from './node-info.ts';
import type { Reply, Stream } from './reply.ts';
import type { Address } from './route-spec.ts';
import type { WebSocketReply } from './web-socket.ts';

/** Returns the schema of the name of a node. */
export const NodeName = (description: string) => Type.String({ minLength: 1, maxLength: 64, description });
/** The member of a query for what is about one machine; see `RouteSpec.at`. */
export const ofNode = {
  node: Type.Optional(NodeName('Which node of a fleet answers, by its name; the one that was asked unless given')),
};

/** A request that was admitted and checked. */
export interface AdmittedCall {
  readonly account: Account | undefined;
  readonly address: Address;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly ip: string;
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** Of a client that asks for a WebSocket. */
  readonly handshake?: object | undefined;
  /** The header `Accept-Language`, where it matters. */
  readonly acceptLanguage: string;
  header(name: string): string;
}

export type ForwardedAnswer = Reply | Stream | WebSocketReply;

/**
 * Resolves with the answer of another node, given by its name; `authorization` is what admitted the call. Errors: 404
 * `node_not_found`, 503 `node_unreachable`.
 */
export type Forward = (
  node: string,
  info: RouteInfo,
  call: AdmittedCall,
  authorization: string,
) => Promise<ForwardedAnswer>;
