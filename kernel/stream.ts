import type { Exchange } from './exchange.ts';
import type { Sink, Stream } from './reply.ts';
import type { WireResponse } from './wire.ts';

/** A stream that is being sent; it ends once, whoever ends it. */
export class OpenStream implements Sink {
  readonly exchange: Exchange;
  isBehind = false;
  readonly #wire: WireResponse;
  readonly #onEnd: () => void;
  #release: (() => void) | undefined;
  #isOpen = true;

  constructor(exchange: Exchange, wire: WireResponse, onEnd: () => void) {
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
