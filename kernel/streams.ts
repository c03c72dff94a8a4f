import type { Exchange } from './exchange.ts';
import type { Stream } from './reply.ts';
import type { Session, Sessions } from './sessions.ts';
import { OpenStream } from './stream.ts';
import type { RouteTable } from './table.ts';
import type { WireResponse } from './wire.ts';

const CHECK_MS = 1000;

/** The streams that an address is sending. Each ends with its session, its client, its table or the server. */
export class Streams {
  readonly #sessions: Sessions;
  readonly #open = new Map<OpenStream, Session | undefined>();
  readonly #timer: NodeJS.Timeout;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
    this.#timer = setInterval(() => void this.#check(), CHECK_MS).unref();
  }

  start(exchange: Exchange, res: WireResponse, stream: Stream, onEnd: () => void): void {
    const open = new OpenStream(exchange, res, () => {
      this.#open.delete(open);
      onEnd();
    });
    this.#open.set(open, exchange.session);
    open.start(stream);
  }

  endOf(exchange: Exchange): void {
    this.#end((each) => each === exchange);
  }

  endUnder(table: RouteTable): void {
    this.#end((each) => each.table === table);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#end(() => true);
  }

  #end(isMeant: (exchange: Exchange) => boolean): void {
    for (const stream of [...this.#open.keys()]) if (isMeant(stream.exchange)) stream.end();
  }

  async #check(): Promise<void> {
    for (const [stream, session] of [...this.#open])
      if (session !== undefined && !(await this.#sessions.isAlive(session))) stream.end();
  }
}
