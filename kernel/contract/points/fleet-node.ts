import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/** A node of the fleet, this one included. */
export interface FleetNode {
  readonly name: string;
  /** Whether it has been silent for too long. */
  readonly isDown: boolean;
  /** Whether it takes no new accounts. */
  readonly isDraining: boolean;
  /** Resolves if it listens, and is what it should be. Rejects with the reason if not. */
  reach(): Promise<void>;
  /** Opens a connection that the same plugin answers there; see `FleetConnections`. */
  connect(limits: { readonly connectMs: number; readonly answerMs: number }): NodeConnection;
}

/** One HTTP connection to another node. */
export interface NodeConnection {
  /** Resolves with the answer. Rejects if the connection fails, and when `signal` is aborted. */
  request(request: {
    readonly method: string;
    readonly path: string;
    readonly body: string | Readable | null;
    readonly signal: AbortSignal;
  }): Promise<{ readonly status: number; readonly text: string }>;
  close(): Promise<void>;
}

/** The service of the plugin that connects the nodes. */
export interface FleetConnections {
  /** Has `take` serve the connections of other nodes, each already decrypted and known by the node's name. */
  accept(take: (socket: Socket, node: string) => void): void;
}
