import type { SocketClient, SocketMessage, WebSocketReply } from '../../contract/web-socket.ts';
import type { RequestContext } from '../request-context.ts';
import type { UwsSocket, UwsSocketBehavior } from '../uws.ts';
import { utf8 } from './response-writer.ts';

/** Of the messages that a client sends. uWebSockets.js closes the connection at a longer one. */
const MESSAGE_BYTES = 64 * 1024;
/** The most that may wait for the reader of the client's messages: uWebSockets.js cannot stop reading a WebSocket. */
const UNREAD_BYTES = 1024 * 1024;
/** From here on, whoever sends waits for the client. */
const BEHIND_BYTES = 64 * 1024;
/** How long a client may be silent. It answers the pings that it gets before, unless it is gone or takes nothing. */
const SILENT_SECONDS = 60;
/** Codes of RFC 6455, section 7.4.1. */
const [NORMAL, GOING_AWAY, REFUSED] = [1000, 1001, 1008];

/** uWebSockets.js copies the members of what it is given. */
export interface SocketData {
  readonly socket: OpenSocket;
}

/** How uWebSockets.js serves the WebSockets of a pattern. */
export const SOCKET_BEHAVIOR: UwsSocketBehavior<SocketData> = {
  maxPayloadLength: MESSAGE_BYTES,
  maxBackpressure: 0, // `send` bounds it, and nothing may be left out
  idleTimeout: SILENT_SECONDS,
  sendPingsAutomatically: true,
  open: (wire) => wire.getUserData().socket.connect(wire),
  message: (wire, bytes, isBinary) => wire.getUserData().socket.receive(bytes, !isBinary),
  drain: (wire) => wire.getUserData().socket.drain(),
  close: (wire) => wire.getUserData().socket.end(),
};

/** A WebSocket that is open. It ends exactly once, whether its source, its client or the server ends it. */
export class OpenSocket implements SocketClient {
  readonly context: RequestContext;
  readonly messages = this.#read();
  readonly #onEnd: () => void;
  /** `undefined` before and after: uWebSockets.js ends the process if a closed one is used. */
  #wire: UwsSocket<SocketData> | undefined;
  #release: (() => void) | undefined;
  #unread: SocketMessage[] = [];
  #unreadBytes = 0;
  #wake: () => void = () => undefined;
  #behind: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(context: RequestContext, onEnd: () => void) {
    this.context = context;
    this.#onEnd = onEnd;
  }

  connect(wire: UwsSocket<SocketData>): void {
    this.#wire = wire;
  }

  start({ open }: WebSocketReply): void {
    this.#release = open(this);
    if (this.#wire === undefined) this.#release();
  }

  send(message: string | Uint8Array): Promise<void> {
    const wire = this.#wire;
    if (wire === undefined) return Promise.resolve();
    wire.cork(() => wire.send(utf8(message), typeof message !== 'string'));
    if (this.#wire === undefined || wire.getBufferedAmount() <= BEHIND_BYTES) return Promise.resolve();
    if (this.#behind === undefined) {
      let resolve: () => void = () => undefined;
      this.#behind = { promise: new Promise<void>((done) => (resolve = done)), resolve };
    }
    return this.#behind.promise;
  }

  close(code = NORMAL): void {
    this.#wire?.end(code);
  }

  /** Ends it before its source does. */
  stop(): void {
    this.close(GOING_AWAY);
  }

  receive(bytes: ArrayBuffer, isText: boolean): void {
    this.#unreadBytes += bytes.byteLength;
    if (this.#unreadBytes > UNREAD_BYTES) return this.#wire?.end(REFUSED);
    this.#unread.push({ bytes: new Uint8Array(bytes.slice(0)), isText }); // uWS reuses its memory once this returns
    this.#wake();
  }

  drain(): void {
    if (this.#wire !== undefined && this.#wire.getBufferedAmount() > BEHIND_BYTES) return;
    this.#behind?.resolve();
    this.#behind = undefined;
  }

  /** Called when it is closed. */
  end(): void {
    if (this.#wire === undefined) return;
    this.#wire = undefined;
    this.#wake();
    this.drain();
    this.#release?.();
    this.#onEnd();
  }

  async *#read(): AsyncGenerator<SocketMessage> {
    for (;;) {
      const message = this.#unread.shift();
      if (message !== undefined) {
        this.#unreadBytes -= message.bytes.length;
        yield message;
      } else if (this.#wire === undefined) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
