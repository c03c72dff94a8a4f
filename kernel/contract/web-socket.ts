/** A message of a client, as text or as bytes. */
export interface SocketMessage {
  readonly bytes: Uint8Array;
  readonly isText: boolean;
}

/** The client's end of a WebSocket. */
export interface SocketClient {
  /**
   * The client's messages in their order, until the WebSocket is closed; one loop reads them. A client that sends much more than
   * the loop takes loses the connection.
   */
  readonly messages: AsyncIterable<SocketMessage>;
  /** Sends text or bytes. Resolves once little of all that was sent waits for the client, or the WebSocket is closed. */
  send(message: string | Uint8Array): Promise<void>;
  /** `code` is one of RFC 6455, section 7.4; 1000 unless given. */
  close(code?: number): void;
}

/** The answer that makes a WebSocket of the connection. It ends with its session, its feature, its client or the server. */
export class WebSocketReply {
  /** Called once, with the client. Returns a function that is called once the WebSocket is closed, for any reason. */
  readonly open: (client: SocketClient) => () => void;

  constructor(open: (client: SocketClient) => () => void) {
    this.open = open;
  }
}
