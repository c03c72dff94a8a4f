import type { Operation } from './api-description.ts';

/** Counts responses by operation and status. */
export class Coverage {
  requests = 0;
  readonly #byOperation = new Map<string, Map<number, number>>();

  constructor(operations: readonly Operation[]) {
    for (const { id } of operations) this.#byOperation.set(id, new Map());
  }

  count({ id }: Operation, status: number): void {
    this.requests += 1;
    const statuses = this.#byOperation.get(id) ?? new Map<number, number>();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    this.#byOperation.set(id, statuses);
  }

  /** Operations without a successful response. */
  get unsuccessful(): string[] {
    return [...this.#byOperation].filter(([, statuses]) => ![...statuses.keys()].some(isSuccess)).map(([id]) => id);
  }

  /** Counts the responses whose status matches. */
  total(matches: (status: number) => boolean): number {
    return [...this.#byOperation.values()]
      .flatMap((statuses) => [...statuses])
      .reduce((sum, [status, count]) => sum + (matches(status) ? count : 0), 0);
  }

  /** Returns a line of totals, a line of statuses, and a line per operation. */
  lines(): string[] {
    const statuses = [...new Set([...this.#byOperation.values()].flatMap((each) => [...each.keys()]))].toSorted(
      (a, b) => a - b,
    );
    return [
      `${this.requests} requests: ${this.total(isSuccess)} succeeded, ${this.total((status) => !isSuccess(status))} refused; ${[2, 3, 4, 5].map((each) => `${each}xx ${this.total((status) => Math.floor(status / 100) === each)}`).join(', ')}`,
      statuses.map((status) => `${status}: ${this.total((each) => each === status)}`).join(', '),
      ...[...this.#byOperation].map(([id, counts]) => {
        const sum = [...counts.values()].reduce((total, count) => total + count, 0);
        const good = [...counts].reduce((total, [status, count]) => total + (isSuccess(status) ? count : 0), 0);
        return `${id.padEnd(36)} ${String(sum).padStart(6)}  ${String(Math.round((100 * good) / Math.max(1, sum))).padStart(3)} % 2xx  ${[
          ...counts,
        ]
          .toSorted(([a], [b]) => a - b)
          .map(([status, count]) => `${status}×${count}`)
          .join(' ')}`;
      }),
    ];
  }
}

function isSuccess(status: number): boolean {
  return (status >= 200 && status < 300) || status === 302 || status === 304;
}
