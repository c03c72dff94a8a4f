import type { Release } from './turns.ts';
import { WORKER_GONE, type OpenCounts, type Workers } from './workers.ts';

interface Said {
  readonly worker: number;
  readonly key: string;
  readonly count: number;
}

/** Counts that each worker tells the others. */
export class SharedCounts implements OpenCounts {
  readonly #workers: Workers;
  readonly #topic: string;
  readonly #own = new Map<string, number>();
  /** By worker. */
  readonly #others = new Map<number, Map<string, number>>();
  readonly #stops: readonly (() => void)[];

  constructor(workers: Workers, topic: string) {
    this.#workers = workers;
    this.#topic = `counts ${topic}`;
    this.#stops = [
      workers.hear(this.#topic, (said) => this.#hear(said as Said)),
      workers.hear(WORKER_GONE, (number) => void this.#others.delete(number as number)),
      workers.answer(this.#topic, () => [...this.#own].map(([key, count]) => this.#said(key, count))),
    ];
    void workers.ask(this.#topic).then((answers) => {
      for (const answer of answers) if ('value' in answer) for (const said of answer.value as Said[]) this.#hear(said);
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
    this.#workers.tell(this.#topic, this.#said(key, count));
  }

  #said(key: string, count: number): Said {
    return { worker: this.#workers.number, key, count };
  }

  #hear({ worker, key, count }: Said): void {
    const counts = this.#others.get(worker) ?? new Map<string, number>();
    this.#others.set(worker, counts);
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  }
}
