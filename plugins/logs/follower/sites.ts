import type { DomainDirectory } from '../../../kernel/areas/sites/domain-directory.ts';
import type { SiteLine } from './nginx-lines.ts';

/** A site of this node. */
export interface Site {
  readonly domainId: number;
  readonly accountId: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}
/** Resolves with the names at which domains answer for a while, and the domains' ids. */
export type ReadPreviews = (domainIds: readonly number[]) => Promise<ReadonlyMap<string, number>>;

/** How long a name that no domain has is not looked for again. */
const UNKNOWN_MS = 60_000;
/** Domains that are asked about at a time. */
const PAGE = 500;

/** The domains of this node by their names. */
export class Sites {
  readonly #domains: DomainDirectory;
  /** Given where a request chooses the name under which it is logged: any of a site, or one that no site has. */
  readonly #readPreviews: ReadPreviews | undefined;
  #known = new Map<string, Site>();
  #byId = new Map<number, Site>();
  #previews = new Map<string, number>();
  readonly #unknown = new Map<string, number>();
  #learntAt = -UNKNOWN_MS;
  isStale = true;
  /** Whether the domains were read again since somebody set this to false. */
  hasChanged = false;
  /** Whether sites may answer for a while at other names than before. */
  hasOtherPreviews = true;

  constructor(domains: DomainDirectory, readPreviews?: ReadPreviews) {
    this.#domains = domains;
    this.#readPreviews = readPreviews;
  }

  get ids(): ReadonlySet<number> {
    return new Set(this.#byId.keys());
  }

  /** Returns the account of a domain of this node. */
  ownerOf(domainId: number): number | undefined {
    return this.#byId.get(domainId)?.accountId;
  }

  async refresh(): Promise<void> {
    this.isStale = false;
    this.hasChanged = true;
    const [known, byId, www] = [new Map<string, Site>(), new Map<number, Site>(), new Map<string, Site>()];
    for await (const { name, aliases = [], id, accountId, createdAt } of this.#domains.all()) {
      const site = { domainId: id, accountId, createdAt };
      byId.set(id, site);
      www.set(`www.${name}`, site);
      for (const each of [name, ...aliases]) known.set(each, site);
    }
    this.#known = new Map([...www, ...known]); // a name of its own counts first
    this.#byId = byId;
    await this.#refreshPreviews([...byId.keys()]);
  }

  async #refreshPreviews(ids: readonly number[]): Promise<void> {
    if (this.#readPreviews === undefined || !this.hasOtherPreviews) return;
    this.hasOtherPreviews = false;
    const previews = new Map<string, number>();
    for (let i = 0; i < ids.length; i += PAGE)
      for (const [name, id] of await this.#readPreviews(ids.slice(i, i + PAGE))) previews.set(name, id);
    this.#previews = previews;
  }

  /** Reads the domains again if lines name one that is not known; once in a while if a request may name any. */
  async learn(lines: readonly SiteLine[]): Promise<void> {
    const now = performance.now();
    const isNew = (name: string) =>
      this.#siteAt(name) === undefined && now - (this.#unknown.get(name) ?? -UNKNOWN_MS) >= UNKNOWN_MS;
    if (this.#readPreviews !== undefined && now - this.#learntAt < UNKNOWN_MS) return;
    const names = new Set(lines.map(({ site }) => site).filter(isNew));
    if (names.size === 0) return;
    this.#learntAt = now;
    this.hasOtherPreviews = true;
    await this.refresh();
    this.#unknown.clear();
    for (const name of names) if (this.#siteAt(name) === undefined) this.#unknown.set(name, now);
  }

  /** Returns the site that a line is of; not one that has got the name since. */
  find({ site: name, at }: SiteLine): Site | undefined {
    const site = this.#siteAt(name);
    return site !== undefined && at >= site.createdAt ? site : undefined;
  }

  #siteAt(name: string): Site | undefined {
    return this.#known.get(name) ?? this.#byId.get(this.#previews.get(name) ?? -1);
  }
}
