/** Releases what was acquired; does nothing when it is called again. */
export type Release = () => void;

interface Wait {
  readonly most: number;
  readonly grant: (release: Release) => void;
}

/** Semaphores by name. More wait, in the order of their arrival. */
export class Semaphores {
  readonly #held = new Map<string, number>();
  readonly #waiting = new Map<string, Set<Wait>>();

  /** Resolves when fewer than `most` hold the semaphore; once `signal` is aborted, never. */
  acquire(name: string, most: number, signal?: AbortSignal): Promise<Release> {
    return new Promise((resolve) => {
      const wait = { most, grant: resolve };
      const waiting = this.#waiting.get(name) ?? new Set();
      this.#waiting.set(name, waiting.add(wait));
      signal?.addEventListener('abort', () => {
        waiting.delete(wait);
        this.#next(name);
      });
      this.#next(name);
    });
  }

  #hold(name: string): Release {
    this.#held.set(name, (this.#held.get(name) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = (this.#held.get(name) ?? 1) - 1;
      if (left === 0) this.#held.delete(name);
      else this.#held.set(name, left);
      this.#next(name);
    };
  }

  #next(name: string): void {
    const waiting = this.#waiting.get(name);
    if (waiting === undefined) return;
    for (const wait of waiting) {
      if ((this.#held.get(name) ?? 0) >= wait.most) break;
      waiting.delete(wait);
      wait.grant(this.#hold(name));
    }
    if (waiting.size === 0 && this.#waiting.get(name) === waiting) this.#waiting.delete(name);
  }
}
