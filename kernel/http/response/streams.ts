import type { Handshake, RequestContext } from '../request-context.ts';
import type { Stream } from '../../contract/reply.ts';
import type { WebSocketReply } from '../../contract/web-socket.ts';
import type { Session, Sessions } from '../../identity/gate/sessions.ts';
import { OpenSocket, type SocketData } from './open-socket.ts';
import { OpenStream } from './open-stream.ts';
import type { RoutingTable } from '../routing-table.ts';
import type { UwsResponse } from '../uws.ts';

const CHECK_MS = 1000;

/** The open streams and WebSockets of an address. Each ends with its session, its feature, its client, its table or the server. */
export class Streams {
  readonly #sessions: Sessions;
  readonly #open = new Map<OpenStream | OpenSocket, Session | undefined>();
  readonly #timer: NodeJS.Timeout;
  #isChecking = false;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
    this.#timer = setInterval(() => {
      if (!this.#isChecking) void this.#check();
    }, CHECK_MS).unref();
  }

  /** Sends a stream as the answer to a request; `onEnd` is called once, when it has ended. */
  start(context: RequestContext, res: UwsResponse, stream: Stream, onEnd: () => void): void {
    const open = new OpenStream(context, res, () => {
      this.#open.delete(open);
      onEnd();
    });
    this.#open.set(open, context.session);
    open.start(stream);
  }

  /** Makes a WebSocket of the connection of a request; `onEnd` is called once, when it has ended. */
  upgrade(
    context: RequestContext,
    res: UwsResponse,
    { key, native }: Handshake,
    reply: WebSocketReply,
    onEnd: () => void,
  ): void {
    const socket = new OpenSocket(context, () => {
      this.#open.delete(socket);
      onEnd();
    });
    this.#open.set(socket, context.session);
    res.upgrade<SocketData>({ socket }, key, '', '', native);
    socket.start(reply);
  }

  /** Ends the stream of a request, if it has one. */
  endOf(context: RequestContext): void {
    this.#end((each) => each === context);
  }

  /** Ends the streams that a routing table opened. */
  endUnder(table: RoutingTable): void {
    this.#end((each) => each.table === table);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#end(() => true);
  }

  #end(isMeant: (context: RequestContext) => boolean): void {
    for (const stream of [...this.#open.keys()]) if (isMeant(stream.context)) stream.stop();
  }

  /** Never rejects. */
  async #check(): Promise<void> {
    this.#isChecking = true;
    await Promise.all(
      [...this.#open].map(async ([stream, session]) => {
        if (session !== undefined && !(await this.#mayGoOn(stream.context, session))) stream.stop();
      }),
    );
    this.#isChecking = false;
  }

  /** Whether the stream could be opened now; not while the store cannot say so. */
  async #mayGoOn({ route, table }: RequestContext, session: Session): Promise<boolean> {
    try {
      if (!(await this.#sessions.isAlive(session)) || session.cell.account === undefined) return false;
      route.authorize(session.cell.account, table.usersMayEnter, session.grant);
      return true;
    } catch {
      // whatever the reason, the client connects again, and is told it
      return false;
    }
  }
}
