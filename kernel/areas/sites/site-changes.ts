import type { Tx } from '../../store/store.ts';
import type { Host } from '../../contract/plugin.ts';
import type { DomainPart } from '../../contract/points/domain-part.ts';
import { inTurn } from '../../contract/workers.ts';

type SiteHost = Pick<Host, 'store' | 'workers' | 'gather'>;

/** Has a site served by the rules that it has now. Errors: those of providers of `siteChanged`. */
export async function serveSite({ gather }: Pick<Host, 'gather'>, domain: DomainPart): Promise<void> {
  for (const each of await gather('siteChanged', domain)) if (!each.ok) throw each.error;
}

/** Changes of the rules by which sites are served: each is served before it is stored, and stored only if it is served. */
export class SiteChanges<T> {
  readonly #host: SiteHost;
  readonly #name: string;
  /** By domain, what is to be served while it is not stored yet. */
  readonly #wanted = new Map<number, T>();

  /** `name` says what is changed, for the lock of a domain. */
  constructor(host: SiteHost, name: string) {
    this.#host = host;
    this.#name = name;
  }

  /** Returns what is to be served of domains, by id: what is stored of them, or what takes its place. */
  served(domainIds: readonly number[], stored: ReadonlyMap<number, T>): Map<number, T> {
    return new Map(
      domainIds.flatMap((id): [number, T][] => {
        const one = this.#wanted.has(id) ? this.#wanted.get(id) : stored.get(id);
        return one === undefined ? [] : [[id, one]];
      }),
    );
  }

  /** Runs changes of a domain one after another, in all workers. */
  inTurn<R>({ id }: Pick<DomainPart, 'id'>, change: () => Promise<R>): Promise<R> {
    return inTurn(this.#host.workers, `${this.#name} ${id}`, change);
  }

  /** Removes what is stored of a removed domain, once no change stores it any more. */
  forget(domainId: number, remove: (tx: Tx) => Promise<unknown>): Promise<unknown> {
    return this.inTurn({ id: domainId }, () => this.#host.store.write(remove));
  }

  /** Has the wanted served, then stores it; what is not stored is no longer served. `before` is the domain as it was. */
  async serve<R>(domain: DomainPart, wanted: T, store: (tx: Tx) => Promise<R>, before = domain): Promise<R> {
    this.#wanted.set(domain.id, wanted);
    let isServed = false;
    let stored: R;
    try {
      await this.#change(domain);
      isServed = true;
      stored = await this.#host.store.write(store);
    } catch (error) {
      this.#wanted.delete(domain.id);
      await this.#change(before).catch((failure: unknown) => {
        if (!isServed) return; // what was refused is not served; a web server that refuses all refuses this as well
        throw new AggregateError([error, failure], `a change of ${this.#name} could not be undone`, { cause: error });
      });
      throw error;
    } finally {
      this.#wanted.delete(domain.id);
    }
    // Another process, which knew only what was stored, may have had that served meanwhile.
    await this.#change(domain).catch(() => undefined); // the change is made; who serves sites tells what it cannot serve
    return stored;
  }

  async #change(domain: DomainPart): Promise<void> {
    await serveSite(this.#host, domain);
  }
}
