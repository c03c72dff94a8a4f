import type { IncomingBody } from '../contract/incoming-body.ts';
import type { UwsResponse } from './uws.ts';

/** The socket is paused while so much waits for the reader. uWebSockets.js hands over at most 512 KiB at once. */
const WAITING_BYTES = 512 * 1024;

/** A body that its handler reads as it comes: what the reader does not take in time stays with the client. */
export class BodyStream implements IncomingBody {
  readonly sizeBytes: number | undefined;
  readonly #res: UwsResponse;
  #chunks: Buffer[] = [];
  #waitingBytes = 0;
  #isPaused = false;
  /** Whether the socket is the response's alone. */
  #isLeft = false;
  #isComplete = false;
  #fault: Error | undefined;
  #wake: () => void = () => undefined;

  /** Called before the first await of the request, as uWebSockets.js asks. */
  constructor(res: UwsResponse, signal: AbortSignal, sizeBytes: number | undefined) {
    this.#res = res;
    this.sizeBytes = sizeBytes;
    signal.addEventListener('abort', () => this.#fail(), { once: true });
    res.onData((chunk, isLast) => {
      if (this.#isLeft) return;
      this.#chunks.push(Buffer.from(chunk.slice(0))); // uWS reuses its memory once this handler returns
      this.#waitingBytes += chunk.byteLength;
      this.#isComplete = isLast;
      if (!isLast && this.#waitingBytes >= WAITING_BYTES) this.#pause(true);
      else if (!isLast) this.#prolong();
      this.#wake();
    });
  }

  /**
   * Leaves the socket to the response: what still comes is thrown away. Were the connection closed instead, a client that still
   * sends would mostly lose the answer, and with it the reason.
   */
  leave(): void {
    this.#pause(false);
    this.#isLeft = true;
    this.#chunks = [];
    this.#fail();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#waitingBytes -= chunk.length;
        if (this.#waitingBytes < WAITING_BYTES) this.#pause(false);
        if (chunk.length > 0) yield chunk;
      } else if (this.#fault !== undefined) throw this.#fault;
      else if (this.#isComplete) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #pause(isPaused: boolean): void {
    if (this.#isPaused === isPaused || this.#isLeft || this.#fault !== undefined) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#res.pause();
    else this.#res.resume();
  }

  /**
   * Begins the time anew after which uWebSockets.js closes a connection, some ten seconds. By itself it does so with each 160 KiB only,
   * and a slow client would never come to an end.
   */
  #prolong(): void {
    if (this.#isPaused || this.#fault !== undefined) return;
    this.#res.pause();
    this.#res.resume();
  }

  #fail(): void {
    this.#fault ??= new Error('the client disconnected, or the request was answered');
    this.#wake();
  }
}
