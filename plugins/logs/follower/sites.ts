import type { DomainDirectory } from '../../../kernel/contract/points/domain-directory.ts';
import type { SiteLine } from './web-server-lines.ts';

/** A site of this node. */
export interface Site {
  readonly domainId: number;
  readonly accountId: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** How long a name that no domain has is not looked for again. */
const UNKNOWN_MS = 60_000;

/** The domains of this node by their names. */
export class Sites {
  readonly #domains: DomainDirectory;
  #known = new Map<string, Site>();
  readonly #unknown = new Map<string, number>();
  isStale = true;

  constructor(domains: DomainDirectory) {
    this.#domains = domains;
  }

  get ids(): ReadonlySet<number> {
    return new Set([...this.#known.values()].map(({ domainId }) => domainId));
  }

  async refresh(): Promise<void> {
    this.isStale = false;
    const known = new Map<string, Site>();
    for await (const { name, id, accountId, createdAt } of this.#domains.all())
      known.set(name, { domainId: id, accountId, createdAt });
    this.#known = known;
  }

  /** Reads the domains again if lines name one that is not known. */
  async learn(lines: readonly SiteLine[]): Promise<void> {
    const now = performance.now();
    const isNew = (name: string) =>
      !this.#known.has(name) && now - (this.#unknown.get(name) ?? -UNKNOWN_MS) >= UNKNOWN_MS;
    const names = new Set(lines.map(({ site }) => site).filter(isNew));
    if (names.size === 0) return;
    await this.refresh();
    this.#unknown.clear();
    for (const name of names) if (!this.#known.has(name)) this.#unknown.set(name, now);
  }

  /** Returns the site that a line is of; not one that has got the name since. */
  find({ site: name, at }: SiteLine): Site | undefined {
    const site = this.#known.get(name);
    return site !== undefined && at >= site.createdAt ? site : undefined;
  }
}
