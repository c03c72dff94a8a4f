import type { ChildProcess } from '../../kit/programs/start-program.ts';
import type { ToSupervisor, ToWorker } from '../../workers/messages.ts';
import type { Release, Semaphores } from '../../workers/semaphores.ts';

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
  /** Releases of the semaphores that it holds or waits for. */
  readonly #held = new Map<string, Release>();
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

  acquire(semaphores: Semaphores, { id, name, most }: ToSupervisor & { readonly kind: 'acquire' }): void {
    const waiting = new AbortController();
    this.#held.set(id, () => waiting.abort());
    void semaphores.acquire(name, most, waiting.signal).then((release) => {
      this.#held.set(id, release);
      this.send({ kind: 'acquired', id });
    });
  }

  release(id: string): void {
    this.#held.get(id)?.();
    this.#held.delete(id);
  }

  gone(): void {
    this.isServing = false;
    this.#onReloaded(ENDED);
    for (const release of this.#held.values()) release();
    this.#held.clear();
  }
}
