import { retryLater } from '../../kernel/errors.ts';
import type { AuditLog } from '../../kernel/storage/audit-log.ts';
import type { Host } from '../../kernel/plugin-api/plugin.ts';

export interface Counted {
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  readonly users: number;
  readonly domains: number;
  readonly websites: number;
}

/** For how long a count holds when this process sees no event: others may change the store too. */
const HOLDS_MS = 5000;

/** How many users, domains and websites there are, counted anew when something happened and somebody asks. */
export class Counts {
  readonly #gather: Host['gather'];
  readonly #unlisten: () => void;
  #counted: Counted | undefined;
  #atMs = -Infinity;
  #isStale = true;
  #counting: Promise<Counted> | undefined;

  constructor(gather: Host['gather'], events: AuditLog) {
    this.#gather = gather;
    this.#unlisten = events.listen(() => (this.#isStale = true));
  }

  close(): void {
    this.#unlisten();
  }

  /** Errors: 503 while the first count fails; later ones leave the last figures standing. */
  read(): Counted | Promise<Counted> {
    if (this.#counted !== undefined && !this.#isStale && performance.now() - this.#atMs < HOLDS_MS)
      return this.#counted;
    this.#counting ??= this.#count().finally(() => (this.#counting = undefined));
    return this.#counting;
  }

  async #count(): Promise<Counted> {
    this.#isStale = false;
    const parts = await this.#gather('counts');
    const isWhole = parts.every((part) => part.ok);
    if (!isWhole && this.#counted === undefined)
      throw retryLater('feature_unavailable', 'not everything can be counted at the moment', 5);
    const sum = (name: 'users' | 'domains' | 'websites') =>
      parts.reduce((total, part) => total + (part.ok ? (part.value[name] ?? 0) : 0), 0);
    const figures = isWhole
      ? { users: sum('users'), domains: sum('domains'), websites: sum('websites') }
      : this.#counted;
    const counted = { users: 0, domains: 0, websites: 0, ...figures, day: new Date().toISOString().slice(0, 10) };
    this.#counted = counted;
    this.#atMs = performance.now();
    return counted;
  }
}
