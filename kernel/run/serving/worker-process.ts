import type { ChildProcess } from '../../kit/programs/start-program.ts';
import type { ToSupervisor, ToWorker } from '../../workers/messages.ts';
import type { Release, Turns } from '../../workers/turns.ts';

const ENDED = 'the worker ended meanwhile';

/** A worker as its supervisor sees it. */
export class WorkerProcess {
  readonly number: number;
  readonly child: ChildProcess;
  readonly startedAt = performance.now();
  /** Those that it was told last. */
  settings: unknown;
  isServing = false;
  /** Pings since its last answer. */
  unanswered = 0;
  /** Releases of the turns that it holds or waits for. */
  readonly #turns = new Map<string, Release>();
  #onReloaded: (refusal: string | undefined) => void = () => undefined;

  constructor(number: number, child: ChildProcess, settings: unknown) {
    this.number = number;
    this.child = child;
    this.settings = settings;
  }

  /** Send errors are ignored: the worker is exiting. */
  send(message: ToWorker): void {
    if (this.child.connected) this.child.send(message, () => undefined);
  }

  /** Resolves with why it refuses the settings; `undefined` if it has them. */
  reload(settings: unknown): Promise<string | undefined> {
    this.settings = settings;
    return new Promise((resolve) => {
      this.#onReloaded = resolve;
      if (!this.child.connected) resolve(ENDED);
      this.send({ kind: 'reload', settings });
    });
  }

  ping(): void {
    this.unanswered += 1;
    this.send({ kind: 'ping' });
  }

  reloaded(refusal: string | undefined): void {
    this.#onReloaded(refusal);
  }

  take(turns: Turns, { id, name, most }: ToSupervisor & { readonly kind: 'take' }): void {
    const waiting = new AbortController();
    this.#turns.set(id, () => waiting.abort());
    void turns.take(name, most, waiting.signal).then((release) => {
      this.#turns.set(id, release);
      this.send({ kind: 'granted', id });
    });
  }

  release(id: string): void {
    this.#turns.get(id)?.();
    this.#turns.delete(id);
  }

  gone(): void {
    this.isServing = false;
    this.#onReloaded(ENDED);
    for (const release of this.#turns.values()) release();
    this.#turns.clear();
  }
}
