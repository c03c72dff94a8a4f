import { errorMessage } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { ContainerSnapshot } from './container-snapshot.ts';
import type { EngineClient } from './engine-client.ts';
import { RETRY_SECONDS, unavailable } from './unavailable.ts';

/** Shorter than the sampling interval, so that each round of samples sees a new list. */
const KEEP_MS = 1000;
/** How long after the last request an engine that is down is still retried. */
const INTEREST_MS = 10_000;
const DETAIL = 'the container engine does not answer';

/**
 * The running containers of one engine, fetched once for all callers, and the engine's state. While the engine is
 * down, callers are refused at once; the list is retried in the background until it arrives or requests stop.
 */
export class ContainerList {
  readonly #engine: EngineClient;
  readonly #log: Log;
  #latest: ContainerSnapshot | undefined;
  #fetchedAtMs = 0;
  #flight: Promise<ContainerSnapshot> | undefined;
  #failure: Error | undefined;
  #retry: NodeJS.Timeout | undefined;
  #requestedAtMs = 0;
  #isClosed = false;

  constructor(engine: EngineClient, log: Log) {
    this.#engine = engine;
    this.#log = log;
  }

  /** `undefined` before the first request. */
  get isUp(): boolean | undefined {
    return this.#failure === undefined ? (this.#fetchedAtMs > 0 ? true : undefined) : false;
  }

  /** The newest snapshot; requests nothing from the engine. */
  get latest(): ContainerSnapshot | undefined {
    return this.#latest;
  }

  /**
   * At most a second old. Paused containers count as running, as in the docker CLI. Rejects with 503
   * `containers_unavailable`.
   */
  async snapshot(): Promise<ContainerSnapshot> {
    this.assertUp();
    if (this.#latest !== undefined && performance.now() - this.#fetchedAtMs < KEEP_MS) return this.#latest;
    return (this.#flight ??= this.#fetch());
  }

  /** Throws 503 `containers_unavailable` while the engine is known to be down. */
  assertUp(): void {
    this.#requestedAtMs = performance.now();
    if (this.#failure !== undefined) throw unavailable(this.#failure, DETAIL);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
  }

  async #fetch(): Promise<ContainerSnapshot> {
    try {
      const containers = await this.#engine.ask('containers', { all: false });
      this.#latest = new ContainerSnapshot(containers, this.#engine.isOwn);
      this.#fetchedAtMs = performance.now();
      if (this.#failure !== undefined)
        this.#log.info({ socket: this.#engine.socketPath }, 'the container engine answers again');
      this.#failure = undefined;
      return this.#latest;
    } catch (error) {
      throw unavailable(this.#recordFailure(error instanceof Error ? error : new Error(errorMessage(error))), DETAIL);
    } finally {
      this.#flight = undefined;
    }
  }

  #recordFailure(error: Error): Error {
    if (this.#isClosed) return error;
    if (this.#failure === undefined)
      this.#log.warn({ socket: this.#engine.socketPath, err: error }, 'the container engine does not answer');
    this.#failure = error;
    this.#latest = undefined;
    this.#fetchedAtMs = 0;
    this.#retry = setTimeout(() => this.#retryOrForget(), RETRY_SECONDS * 1000).unref();
    return error;
  }

  /** Without recent requests the failure is forgotten, and the next request tries the engine again. */
  #retryOrForget(): void {
    if (performance.now() - this.#requestedAtMs > INTEREST_MS) this.#failure = undefined;
    else (this.#flight = this.#fetch()).catch(() => undefined); // `#fetch` has recorded the failure
  }
}
