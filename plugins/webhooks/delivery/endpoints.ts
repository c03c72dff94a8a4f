import type { NamedEndpoint } from '../own-endpoints.ts';
import { Endpoint, type EndpointParts } from './endpoint.ts';

interface EndpointsParts extends Omit<EndpointParts, 'named'> {
  /** Resolves with the endpoints as they are now. */
  readonly read: () => Promise<readonly NamedEndpoint[]>;
}

/** The endpoints to which this node delivers, as they were when they were last read. */
export class Endpoints {
  readonly #parts: EndpointsParts;
  readonly #known = new Map<string, { readonly text: string; readonly endpoint: Endpoint }>();
  #refreshing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(parts: EndpointsParts) {
    this.#parts = parts;
  }

  get all(): readonly Endpoint[] {
    return [...this.#known.values()].map(({ endpoint }) => endpoint);
  }

  /** Returns how attempts of this process went. */
  outcomes(key: string): Endpoint['outcomes'] {
    return this.#known.get(key)?.endpoint.outcomes ?? { delivered: 0, failed: 0, dropped: 0 };
  }

  /** Reads the endpoints again: ends those that are gone or have changed, and forgets what others had in the queue. */
  refresh(): Promise<void> {
    const refreshed = this.#refreshing.then(() => this.#refresh());
    this.#refreshing = refreshed.catch(() => undefined); // for the caller that it concerns, not for the next one
    return refreshed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#refreshing;
    await Promise.all(this.all.map((endpoint) => endpoint.close()));
  }

  async #refresh(): Promise<void> {
    const { read, ...parts } = this.#parts;
    const now = new Map((await read()).map((named) => [named.key, { named, text: JSON.stringify(named) }]));
    for (const [key, { text, endpoint }] of this.#known) {
      if (now.get(key)?.text === text) continue;
      await endpoint.close();
      this.#known.delete(key);
    }
    if (this.#isClosed) return;
    for (const [key, { named, text }] of now)
      if (!this.#known.has(key)) this.#known.set(key, { text, endpoint: new Endpoint({ ...parts, named }) });
    await parts.queue.keepOnly([...now.keys()]);
    for (const endpoint of this.all) endpoint.wake();
  }
}
