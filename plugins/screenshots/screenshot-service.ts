import { atMost, LRUCache } from '../../kernel/kit/waiting/bounded-cache.ts';
import { HttpError, rateHeaders, rateLimited } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Log } from '../../kernel/log.ts';
import { deletePrefix, type DiskCache } from './cache/disk-cache.ts';
import { Screenshot } from './cache/screenshot.ts';
import type { OwnDomains } from './own-domains.ts';
import { WIDTH, type Settings } from './schema.ts';
import type { Target } from './target.ts';
import { fail } from './errors.ts';

const REFRESH_MS = 60_000;
const REFRESHES = { name: 'refreshes-of-a-site', quota: 1, windowSeconds: REFRESH_MS / 1000 };
/** Sent with a new screenshot, after which there is none for a minute. */
export const REFRESHED = rateHeaders([REFRESHES], REFRESHES.name, 0, REFRESHES.windowSeconds);
/** The bound on remembered failures and on refreshes. */
const REMEMBERED = atMost(10_000);

export interface ScreenshotRequest {
  readonly account: Account;
  readonly target: Target;
  readonly width: number;
  readonly refresh: boolean;
}

interface ServiceParts {
  /** Takes a screenshot of a page of the account, whose domains are `own`. */
  readonly capture: (accountId: number, url: string, own: ReadonlySet<string>) => Promise<Uint8Array>;
  /** Returns a PNG of the account's in another width. */
  readonly scale: (accountId: number, png: Uint8Array, width: number) => Promise<Uint8Array>;
  readonly disk: DiskCache;
  readonly domains: OwnDomains;
  readonly settings: Pick<Settings, 'ttl_seconds' | 'failure_seconds' | 'memory_cache_bytes'>;
  readonly log: Log;
}

/** Answers requests from memory, from disk, or with a new screenshot: one flight for all requests for the same page. */
export class ScreenshotService {
  readonly #parts: ServiceParts;
  readonly #ttlMs: number;
  readonly #memory: LRUCache<string, Screenshot>;
  readonly #flights = new Map<string, Promise<Screenshot>>();
  /** Pages that failed lately; `undefined` when the setting is 0, which `LRUCache` would take for no limit. */
  readonly #failures: LRUCache<string, HttpError> | undefined;
  readonly #refreshed = new LRUCache<string, true>({ ...REMEMBERED, ttl: REFRESH_MS });
  readonly #writes = new Set<Promise<void>>();
  taken = 0;
  failed = 0;

  constructor(parts: ServiceParts) {
    const { ttl_seconds: ttl, failure_seconds: failure, memory_cache_bytes: maxBytes } = parts.settings;
    this.#parts = parts;
    this.#ttlMs = ttl * 1000;
    this.#memory = new LRUCache({ maxSize: Math.max(1, maxBytes), sizeCalculation: ({ png }) => png.byteLength });
    if (failure > 0) this.#failures = new LRUCache({ ...REMEMBERED, ttl: Math.ceil(failure * 1000) });
  }

  /**
   * Returns a screenshot; without a promise when it is in memory. Errors: 404 `domain_not_found`, 429 `rate_limited`,
   * 502 `site_unreachable`, 503 `overloaded`, `screenshots_unavailable`.
   */
  show(request: ScreenshotRequest): Screenshot | Promise<Screenshot> {
    const own = this.#parts.domains.of(request.account);
    return own instanceof Promise ? own.then((names) => this.#show(request, names)) : this.#show(request, own);
  }

  /** Removes the screenshots of domains that the account no longer has; all of them when the account is gone. */
  async forget(accountId: number, account: Account | undefined): Promise<void> {
    deletePrefix(this.#memory, `${accountId} `);
    if (!(await this.#parts.disk.holds(accountId))) return; // spares most accounts the look-up of their domains
    await this.#parts.disk.keepOnly(accountId, account === undefined ? [] : await this.#parts.domains.of(account));
  }

  /** Resolves when all screenshots are on disk. */
  async settle(): Promise<void> {
    await Promise.allSettled([...this.#flights.values(), ...this.#writes]);
    await Promise.all(this.#writes);
  }

  #show(request: ScreenshotRequest, own: ReadonlySet<string>): Screenshot | Promise<Screenshot> {
    const { target, width, refresh } = request;
    if (!own.has(target.domain)) throw notFound(target);
    if (refresh) return this.#refresh(request, own);
    return this.#inMemory(request, width) ?? (width === WIDTH ? this.#whole(request, own) : this.#scaled(request, own));
  }

  #inMemory(request: ScreenshotRequest, width: number): Screenshot | undefined {
    const screenshot = this.#memory.get(keyOf(request, width));
    return screenshot !== undefined && Math.abs(Date.now() - screenshot.takenAt) < this.#ttlMs ? screenshot : undefined;
  }

  #refresh(request: ScreenshotRequest, own: ReadonlySet<string>): Promise<Screenshot> {
    const { account, target } = request;
    const site = `${account.id} ${target.domain}`;
    const leftMs = this.#refreshed.getRemainingTTL(site);
    if (leftMs > 0)
      throw rateLimited('a site can be refreshed at most once a minute', [REFRESHES], REFRESHES.name, leftMs / 1000);
    this.#refreshed.set(site, true);
    this.#failures?.delete(keyOf(request));
    const fresh = this.#flight(`capture ${keyOf(request)}`, () => this.#capture(request, own)).catch(
      (error: unknown) => {
        if (error instanceof HttpError && error.status === 503) this.#refreshed.delete(site);
        throw error;
      },
    );
    return request.width === WIDTH ? fresh : fresh.then(() => this.#scaled(request, own));
  }

  #whole(request: ScreenshotRequest, own: ReadonlySet<string>): Promise<Screenshot> {
    const { account, target } = request;
    return this.#flight(keyOf(request), async () => {
      const stored = await this.#parts.disk.read(account.id, target.domain, target.url).catch((error: unknown) => {
        this.#parts.log.warn({ err: error }, 'a cached screenshot could not be read');
        return undefined;
      });
      if (stored === undefined) return this.#flight(`capture ${keyOf(request)}`, () => this.#capture(request, own));
      return this.#keep(request, WIDTH, new Screenshot(stored.png, stored.takenAt));
    });
  }

  #scaled(request: ScreenshotRequest, own: ReadonlySet<string>): Promise<Screenshot> {
    const { account, width } = request;
    return this.#flight(keyOf(request, width), async () => {
      const whole = this.#inMemory(request, WIDTH) ?? (await this.#whole(request, own));
      const scaled = new Screenshot(await this.#parts.scale(account.id, whole.png, width), whole.takenAt);
      return this.#memory.get(keyOf(request)) === whole ? this.#keep(request, width, scaled) : scaled;
    });
  }

  async #capture(request: ScreenshotRequest, own: ReadonlySet<string>): Promise<Screenshot> {
    const { account, target } = request;
    const failure = this.#failures?.get(keyOf(request));
    if (failure !== undefined) throw failure;
    try {
      const screenshot = new Screenshot(await this.#parts.capture(account.id, target.url, own), Date.now());
      this.taken += 1;
      if (!(await this.#parts.domains.of(account)).has(target.domain)) throw notFound(target);
      deletePrefix(this.#memory, keyOf(request, ''));
      this.#write(account, target, screenshot);
      return this.#keep(request, WIDTH, screenshot);
    } catch (error) {
      this.failed += 1;
      if (error instanceof HttpError && error.code === 'site_unreachable') this.#failures?.set(keyOf(request), error);
      throw error;
    }
  }

  #flight(key: string, work: () => Promise<Screenshot>): Promise<Screenshot> {
    let flight = this.#flights.get(key);
    if (flight === undefined) {
      flight = work().finally(() => this.#flights.delete(key));
      this.#flights.set(key, flight);
    }
    return flight;
  }

  #keep(request: ScreenshotRequest, width: number, screenshot: Screenshot): Screenshot {
    this.#memory.set(keyOf(request, width), screenshot);
    return screenshot;
  }

  /** Writes to disk in the background; requests do not wait for it, but `settle` does. */
  #write(account: Account, target: Target, screenshot: Screenshot): void {
    const write = this.#store(account, target, screenshot)
      .catch((error: unknown) => this.#parts.log.warn({ err: error }, 'a screenshot could not be cached on disk'))
      .finally(() => this.#writes.delete(write));
    this.#writes.add(write);
  }

  /** Removes the screenshot again if its domain was removed, and cleaned up, while it was being written. */
  async #store(account: Account, { domain, url }: Target, screenshot: Screenshot): Promise<void> {
    const { disk, domains } = this.#parts;
    await disk.write(account.id, domain, url, screenshot);
    const own = await domains.of(account);
    if (!own.has(domain)) await disk.keepOnly(account.id, own);
  }
}

/** The account is part of every key, and comes first. */
function keyOf({ account, target }: ScreenshotRequest, width: number | '' = WIDTH): string {
  return `${account.id} ${target.url} ${width}`;
}

/** The 404 for a domain that does not exist and, indistinguishably, for one of another account. */
export function notFound({ domain }: Target): HttpError {
  return fail.domain_not_found(`the account has no domain ${domain}`);
}
