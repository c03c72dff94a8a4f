import type { Host } from '../../../kernel/contract/plugin.ts';
import { NO_DOMAINS, type Domain, type DomainDirectory } from '../../../kernel/areas/sites/domain-directory.ts';
import { FollowedLog } from '../../../kernel/kit/files/followed-log.ts';
import { startReconciling } from '../../../kernel/kit/waiting/reconciling.ts';
import { addRequests, MOST_REQUESTS, readPositions, writePositions } from '../store.ts';
import { readEntry, type FoundRequest } from './entry.ts';

const EVERY_MS = 1000;
/** How long a name is taken for the domain that had it. */
const KNOWN_MS = 10_000;
/** Chunks that are read before what else there is to do. */
const CHUNKS = 16;

/** Reads the log of the firewall, and keeps for each site what was found in its requests. */
export class WafCollector {
  readonly #host: Host<unknown>;
  readonly #path: string;
  readonly #domains: DomainDirectory;
  #log: FollowedLog | undefined;
  #known: ReadonlyMap<string, Domain> = new Map();
  #knownAt = -Infinity;

  constructor(host: Host<unknown>, path: string) {
    this.#host = host;
    this.#path = path;
    this.#domains = host.peer<DomainDirectory>('domains') ?? NO_DOMAINS;
  }

  /** Reads from now on. Returns a function that tells why it does not. */
  start(): () => string | undefined {
    const { log, onClose } = this.#host;
    onClose(async () => this.#log?.close());
    const options = { log, onClose, wakers: [], everyMs: EVERY_MS, subject: 'the log of the firewall' };
    return startReconciling(options, (attempt) => attempt('the log of the firewall', () => this.#read()));
  }

  async #read(): Promise<void> {
    const { local } = this.#host;
    try {
      this.#log ??= await FollowedLog.open(this.#path, await readPositions(local));
      for (let chunk = 0; chunk < CHUNKS; chunk++) {
        const text = await this.#log.read();
        if (text === '') return;
        const found = await this.#sort(text);
        const { positions } = this.#log;
        await local.write(async (tx) => {
          for (const { domain, requests } of found) await addRequests(tx, { domainId: domain.id, ...domain }, requests);
          await writePositions(tx, positions);
        });
      }
    } catch (error) {
      await this.#log?.close();
      this.#log = undefined; // so that it goes on where the last transaction ended
      throw error;
    }
  }

  /** Returns the newest requests of each domain; not those from before it was added, which an earlier owner had. */
  async #sort(text: string): Promise<{ readonly domain: Domain; readonly requests: readonly FoundRequest[] }[]> {
    const entries = text.split('\n').flatMap((line) => (line === '' ? [] : (readEntry(line) ?? [])));
    if (entries.length === 0) return [];
    const isOld = performance.now() - this.#knownAt > KNOWN_MS;
    if (isOld || entries.some(({ site }) => !this.#known.has(site))) this.#known = await this.#byName();
    const found = new Map<number, { readonly domain: Domain; readonly requests: FoundRequest[] }>();
    for (const { site, request } of entries) {
      const domain = this.#known.get(site);
      if (domain === undefined || request.at < domain.createdAt) continue;
      const of = found.get(domain.id) ?? { domain, requests: [] };
      found.set(domain.id, of);
      of.requests.push(request);
      if (of.requests.length > 2 * MOST_REQUESTS) of.requests.splice(0, MOST_REQUESTS);
    }
    return [...found.values()];
  }

  async #byName(): Promise<Map<string, Domain>> {
    this.#knownAt = performance.now();
    const all = new Map<string, Domain>();
    for await (const domain of this.#domains.all()) all.set(domain.name, domain);
    return all;
  }
}
