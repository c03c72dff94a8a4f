import type { Release } from './semaphores.ts';
import { topic, WORKER_EXITED, type Topic } from './topic.ts';
import type { Workers } from './workers.ts';

interface Count {
  readonly worker: number;
  readonly key: string;
  readonly count: number;
}

/** Counts what is open, by key. What is opened in another worker counts here a moment later. */
export class SharedCounter {
  readonly #workers: Workers;
  readonly #topic: Topic<Count>;
  readonly #own = new Map<string, number>();
  /** By worker. */
  readonly #others = new Map<number, Map<string, number>>();
  readonly #stops: readonly (() => void)[];

  constructor(workers: Workers, name: string) {
    const all = topic<Count[]>(`counter ${name}`);
    this.#workers = workers;
    this.#topic = topic(`count ${name}`);
    this.#stops = [
      workers.subscribe(this.#topic, (count) => this.#note(count)),
      workers.subscribe(WORKER_EXITED, (number) => void this.#others.delete(number)),
      workers.respond(all, () => [...this.#own].map(([key, count]) => this.#ownCount(key, count))),
    ];
    void workers.query(all).then((answers) => {
      for (const answer of answers) if ('value' in answer) for (const count of answer.value) this.#note(count);
    });
  }

  of(key: string): number {
    let sum = this.#own.get(key) ?? 0;
    for (const counts of this.#others.values()) sum += counts.get(key) ?? 0;
    return sum;
  }

  get total(): number {
    let sum = 0;
    for (const counts of [this.#own, ...this.#others.values()]) for (const count of counts.values()) sum += count;
    return sum;
  }

  /** Counts one more, until it is released. */
  add(key: string): Release {
    this.#change(key, 1);
    let isCounted = true;
    return () => {
      if (isCounted) this.#change(key, -1);
      isCounted = false;
    };
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #change(key: string, by: number): void {
    const count = (this.#own.get(key) ?? 0) + by;
    if (count === 0) this.#own.delete(key);
    else this.#own.set(key, count);
    this.#workers.publish(this.#topic, this.#ownCount(key, count));
  }

  #ownCount(key: string, count: number): Count {
    return { worker: this.#workers.number, key, count };
  }

  #note({ worker, key, count }: Count): void {
    const counts = this.#others.get(worker) ?? new Map<string, number>();
    this.#others.set(worker, counts);
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  }
}
