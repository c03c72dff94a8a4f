import type { RequestContext } from '../request-context.ts';
import type { Sink, Stream } from '../../contract/reply.ts';
import { utf8 } from './response-writer.ts';
import type { UwsResponse } from '../uws.ts';

/** How long a client may take nothing of what waits for it: one that is frozen closes no connection, and would keep its place. */
const STALL_MS = 60_000;

/** A stream that is being sent. It ends exactly once, whether its source, its client or the server ends it. */
export class OpenStream implements Sink {
  readonly context: RequestContext;
  isBehind = false;
  readonly #wire: UwsResponse;
  readonly #onEnd: () => void;
  #release: (() => void) | undefined;
  #drained: (() => void) | undefined;
  #stalled: NodeJS.Timeout | undefined;
  #isOpen = true;
  /** Whether it has no end of its own, so that it is complete whenever it ends. */
  #isEndless = false;
  /** The number of bytes that the client was told; `undefined` without. */
  #sizeBytes: number | undefined;
  /** Whether the client was sent as many, which ends the answer. */
  #isSent = false;
  /** The part of an answer of a known size that the socket has not taken, and where it begins. */
  #rest: { readonly bytes: Uint8Array; readonly offset: number } | undefined;

  constructor(context: RequestContext, wire: UwsResponse, onEnd: () => void) {
    this.context = context;
    this.#wire = wire;
    this.#onEnd = onEnd;
    wire.onWritable((offset) => {
      if (this.#rest !== undefined && !this.#send(this.#rest.bytes.subarray(offset - this.#rest.offset))) return false;
      this.isBehind = false;
      clearTimeout(this.#stalled);
      this.#stalled = undefined;
      this.#drained?.();
      return true;
    });
  }

  start(stream: Stream): void {
    this.#isEndless = stream.type === 'text/event-stream';
    this.#sizeBytes = stream.sizeBytes;
    this.#release = stream.open(this);
    if (!this.#isOpen) this.#release();
  }

  write(chunk: string | Uint8Array): boolean {
    if (!this.#isOpen) return false;
    this.#wire.cork(() => {
      this.isBehind = !(this.#sizeBytes === undefined
        ? this.#wire.write(utf8(chunk))
        : this.#send(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
    });
    if (this.isBehind) this.#stalled ??= setTimeout(() => this.abort(), STALL_MS).unref();
    return !this.isBehind;
  }

  /** Ends an answer; the client sees that one of a known size is not complete. */
  #finish(): void {
    if ((this.#sizeBytes ?? 0) > 0) this.#wire.close();
    else this.#wire.cork(() => this.#wire.end());
  }

  /** Returns whether the socket took all; it keeps none of the rest. */
  #send(bytes: Uint8Array): boolean {
    const offset = this.#wire.getWriteOffset();
    const [isTaken, isSent] = this.#wire.tryEnd(bytes, this.#sizeBytes ?? 0);
    this.#isSent = isSent;
    this.#rest = isTaken ? undefined : { bytes, offset };
    return isTaken;
  }

  onDrain(callback: () => void): void {
    this.#drained = callback;
  }

  /** uWS then says that the client is gone, which ends the stream. */
  abort(): void {
    if (this.#isOpen && !this.#isSent) this.#wire.close();
  }

  /** Ends the stream before its source does. */
  stop(): void {
    if (this.#isEndless || this.context.isAborted) this.end();
    else this.abort();
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#stalled);
    if (!this.context.isAborted && !this.#isSent) this.#finish();
    this.#release?.();
    this.#onEnd();
  }
}
