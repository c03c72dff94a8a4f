import { access } from 'node:fs/promises';
import { messageOf } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { ContainerSnapshot, parseContainers } from './container.ts';
import type { Engine } from './engine-client.ts';
import { RETRY_SECONDS, unavailable } from './unavailable.ts';

/** Below the interval of the sampler, so that each of its rounds sees a new list. */
const KEEP_MS = 1000;
/** How long an engine that is down is asked again after the last request for it. */
const INTEREST_MS = 10_000;
const DETAIL = 'the container engine does not answer';

/**
 * The running containers of one engine, listed once for all who ask, and whether the engine is there. While it is
 * not, callers are refused at once, and the list is asked for in the background until it comes or nobody wants it.
 */
export class ContainerList {
  readonly #engine: Engine;
  readonly #log: Log;
  #kept: ContainerSnapshot | undefined;
  #keptAtMs = 0;
  #flight: Promise<ContainerSnapshot> | undefined;
  #failure: Error | undefined;
  #retry: NodeJS.Timeout | undefined;
  #askedMs = 0;
  #isClosed = false;
  #hasAnswered = false;

  constructor(engine: Engine, log: Log) {
    this.#engine = engine;
    this.#log = log;
  }

  /** `undefined` until it was asked. */
  get isUp(): boolean | undefined {
    return this.#failure === undefined ? (this.#keptAtMs > 0 ? true : undefined) : false;
  }

  /** Whether there is no engine at all, rather than one that is down: it never answered, and has no socket. */
  async isAbsent(): Promise<boolean> {
    return (
      !this.#hasAnswered &&
      (await access(this.#engine.socketPath).then(
        () => false,
        () => true,
      ))
    );
  }

  /** The newest list, without asking for one. */
  get known(): ContainerSnapshot | undefined {
    return this.#kept;
  }

  /** Paused containers count as running, as they do for the docker CLI. Rejects with 503 `containers_unavailable`. */
  async list(): Promise<ContainerSnapshot> {
    this.assertUp();
    if (this.#kept !== undefined && performance.now() - this.#keptAtMs < KEEP_MS) return this.#kept;
    return (this.#flight ??= this.#fetch());
  }

  /** Throws 503 `containers_unavailable` while the engine is known to be down. */
  assertUp(): void {
    this.#askedMs = performance.now();
    if (this.#failure !== undefined) throw unavailable(this.#failure, DETAIL);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
  }

  async #fetch(): Promise<ContainerSnapshot> {
    try {
      const { status, body } = await this.#engine.get('/containers/json');
      if (status !== 200)
        throw new Error(`the engine at ${this.#engine.socketPath} answers its list of containers with ${status}`);
      this.#kept = new ContainerSnapshot(parseContainers(body), this.#engine.isOwn);
      this.#keptAtMs = performance.now();
      this.#hasAnswered = true;
      if (this.#failure !== undefined)
        this.#log.info({ socket: this.#engine.socketPath }, 'the container engine answers again');
      this.#failure = undefined;
      return this.#kept;
    } catch (error) {
      throw unavailable(this.#failed(error instanceof Error ? error : new Error(messageOf(error))), DETAIL);
    } finally {
      this.#flight = undefined;
    }
  }

  #failed(error: Error): Error {
    if (this.#isClosed) return error;
    if (this.#failure === undefined)
      this.#log.warn({ socket: this.#engine.socketPath, err: error }, 'the container engine does not answer');
    this.#failure = error;
    this.#kept = undefined;
    this.#keptAtMs = 0;
    this.#retry = setTimeout(() => this.#tryAgain(), RETRY_SECONDS * 1000).unref();
    return error;
  }

  #tryAgain(): void {
    if (performance.now() - this.#askedMs > INTEREST_MS)
      this.#failure = undefined; // the next who asks finds out
    else (this.#flight = this.#fetch()).catch(() => undefined); // has been recorded as the failure
  }
}
