import { fail } from '../../../kernel/errors.ts';
import type { AuditLog } from '../../../kernel/store/events/audit-log.ts';
import type { Host } from '../../../kernel/contract/plugin.ts';

export interface DayCounts {
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  readonly users: number;
  readonly domains: number;
  readonly websites: number;
}

/** How long counts are kept if this process sees no event: other processes may change the store too. */
const TTL_MS = 5000;

/** The numbers of users, domains and websites, counted on request, and again only after an event or `TTL_MS`. */
export class Counts {
  readonly #gather: Host['gather'];
  readonly #unlisten: () => void;
  #latest: DayCounts | undefined;
  #atMs = -Infinity;
  #isStale = true;
  #counting: Promise<DayCounts> | undefined;
  /** The count after the one that runs, which may miss what has happened since it began. */
  #next: Promise<DayCounts> | undefined;

  constructor(gather: Host['gather'], events: AuditLog) {
    this.#gather = gather;
    this.#unlisten = events.listen(() => (this.#isStale = true));
  }

  close(): void {
    this.#unlisten();
  }

  /** Errors: 503 until a count has succeeded; a later failure returns the last counts. */
  read(): DayCounts | Promise<DayCounts> {
    if (this.#next !== undefined) return this.#next;
    const running = this.#counting;
    if (running !== undefined) return this.#isStale ? (this.#next = this.#after(running)) : running;
    if (this.#latest !== undefined && !this.#isStale && performance.now() - this.#atMs < TTL_MS) return this.#latest;
    return this.#begin();
  }

  async #after(running: Promise<unknown>): Promise<DayCounts> {
    await running.catch(() => undefined); // for those who waited for it
    this.#next = undefined;
    return this.#begin();
  }

  #begin(): Promise<DayCounts> {
    return (this.#counting = this.#count().finally(() => (this.#counting = undefined)));
  }

  async #count(): Promise<DayCounts> {
    this.#isStale = false;
    const parts = await this.#gather('counts');
    const isComplete = parts.every((part) => part.ok);
    if (!isComplete && this.#latest === undefined)
      throw fail.feature_unavailable('users, domains and websites cannot all be counted at the moment', {
        retryAfterSeconds: 5,
      });
    const sum = (name: 'users' | 'domains' | 'websites') =>
      parts.reduce((total, part) => total + (part.ok ? (part.value[name] ?? 0) : 0), 0);
    const figures = isComplete
      ? { users: sum('users'), domains: sum('domains'), websites: sum('websites') }
      : this.#latest;
    const counted = { users: 0, domains: 0, websites: 0, ...figures, day: new Date().toISOString().slice(0, 10) };
    this.#latest = counted;
    this.#atMs = performance.now();
    return counted;
  }
}
