import type { Exchange } from './exchange.ts';
import type { Sink, Stream } from './reply.ts';

/** The part of a reply that a stream writes to, once its head is written. */
export interface Wire {
  cork(write: () => void): unknown;
  write(chunk: string | Uint8Array): boolean;
  end(): unknown;
  onWritable(handler: (offset: number) => boolean): unknown;
}

/** A stream that is being sent; it ends once, whoever ends it. */
export class OpenStream implements Sink {
  readonly exchange: Exchange;
  isBehind = false;
  readonly #wire: Wire;
  readonly #onEnd: () => void;
  #release: (() => void) | undefined;
  #isOpen = true;

  constructor(exchange: Exchange, wire: Wire, onEnd: () => void) {
    this.exchange = exchange;
    this.#wire = wire;
    this.#onEnd = onEnd;
    wire.onWritable(() => {
      this.isBehind = false;
      return true;
    });
  }

  start(stream: Stream): void {
    this.#release = stream.open(this);
    if (!this.#isOpen) this.#release();
  }

  write(chunk: string | Uint8Array): boolean {
    if (!this.#isOpen) return false;
    this.#wire.cork(() => {
      this.isBehind = !this.#wire.write(chunk);
    });
    return !this.isBehind;
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (!this.exchange.isAborted) this.#wire.cork(() => this.#wire.end());
    this.#release?.();
    this.#onEnd();
  }
}
