import type { Account } from '../../kernel/identity/accounts.ts';
import { HttpError, retryLater } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { ByteLru } from './cache/byte-lru.ts';
import type { DiskCache } from './cache/disk-cache.ts';
import type { OwnDomains } from './own-domains.ts';
import { WIDTH } from './browser/open-page.ts';
import { Screenshot } from './cache/screenshot.ts';
import { Recent } from './cache/recent.ts';
import { scale } from './cache/scale.ts';
import type { Settings } from './schema.ts';
import type { Target } from './target.ts';

const REFRESH_MS = 60_000;
const REMEMBERED = 10_000;

export interface ScreenshotRequest {
  readonly account: Account;
  readonly target: Target;
  readonly width: number;
  readonly refresh: boolean;
}

/** Takes a picture of an address of an account, whose domains are `own`. */
export type Capture = (accountId: number, url: string, own: ReadonlySet<string>) => Promise<Uint8Array>;

interface ServiceParts {
  readonly capture: Capture;
  readonly disk: DiskCache;
  readonly domains: OwnDomains;
  readonly settings: Pick<Settings, 'ttl_seconds' | 'failure_seconds' | 'memory_cache_bytes'>;
  readonly log: Log;
}

/** Answers from memory, from disk, or with a picture just taken: one flight for all who ask the same. */
export class ScreenshotService {
  readonly #parts: ServiceParts;
  readonly #ttlMs: number;
  readonly #hot: ByteLru<Screenshot>;
  readonly #flights = new Map<string, Promise<Screenshot>>();
  readonly #failures: Recent<HttpError>;
  readonly #refreshed = new Recent<true>(REFRESH_MS, REMEMBERED);
  readonly #writes = new Set<Promise<void>>();
  taken = 0;
  failed = 0;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    this.#ttlMs = parts.settings.ttl_seconds * 1000;
    this.#hot = new ByteLru(parts.settings.memory_cache_bytes);
    this.#failures = new Recent(parts.settings.failure_seconds * 1000, REMEMBERED);
  }

  /** From memory without a promise. Errors: 404 `domain_not_found`, 429 `rate_limited`, those of taking and scaling. */
  show(question: ScreenshotRequest): Screenshot | Promise<Screenshot> {
    const own = this.#parts.domains.of(question.account);
    return own instanceof Promise ? own.then((names) => this.#show(question, names)) : this.#show(question, own);
  }

  /** Forgets what an account has of domains that it has no longer; all of it when the account is gone. */
  async forget(accountId: number, account: Account | undefined): Promise<void> {
    this.#hot.deletePrefix(`${accountId} `);
    if (!(await this.#parts.disk.holds(accountId))) return; // most accounts that change have no picture, and many domains
    await this.#parts.disk.keepOnly(accountId, account === undefined ? [] : await this.#parts.domains.of(account));
  }

  /** Resolves when all pictures are on disk. */
  async settle(): Promise<void> {
    await Promise.allSettled([...this.#flights.values(), ...this.#writes]);
    await Promise.all(this.#writes);
  }

  #show(question: ScreenshotRequest, own: ReadonlySet<string>): Screenshot | Promise<Screenshot> {
    const { target, width, refresh } = question;
    if (!own.has(target.domain)) throw notFound(target);
    if (refresh) return this.#refresh(question, own);
    return (
      this.#remembered(question, width) ?? (width === WIDTH ? this.#whole(question, own) : this.#scaled(question, own))
    );
  }

  #remembered(question: ScreenshotRequest, width: number): Screenshot | undefined {
    const picture = this.#hot.get(keyOf(question, width));
    return picture !== undefined && Math.abs(Date.now() - picture.takenAt) < this.#ttlMs ? picture : undefined;
  }

  #refresh(question: ScreenshotRequest, own: ReadonlySet<string>): Promise<Screenshot> {
    const { account, target } = question;
    const site = `${account.id} ${target.domain}`;
    const last = this.#refreshed.get(site);
    if (last !== undefined)
      throw retryLater('rate_limited', 'a new picture of a site is taken at most once a minute', last.seconds);
    this.#refreshed.set(site, true);
    this.#failures.delete(keyOf(question));
    const fresh = this.#flight(`take ${keyOf(question)}`, () => this.#take(question, own)).catch((error: unknown) => {
      if (error instanceof HttpError && error.status === 503) this.#refreshed.delete(site);
      throw error;
    });
    return question.width === WIDTH ? fresh : fresh.then(() => this.#scaled(question, own));
  }

  #whole(question: ScreenshotRequest, own: ReadonlySet<string>): Promise<Screenshot> {
    const { account, target } = question;
    return this.#flight(keyOf(question), async () => {
      const stored = await this.#parts.disk.read(account.id, target.domain, target.url).catch((error: unknown) => {
        this.#parts.log.warn({ err: error }, 'a kept picture could not be read');
        return undefined;
      });
      if (stored === undefined) return this.#flight(`take ${keyOf(question)}`, () => this.#take(question, own));
      return this.#keep(question, WIDTH, new Screenshot(stored.png, stored.takenAt));
    });
  }

  #scaled(question: ScreenshotRequest, own: ReadonlySet<string>): Promise<Screenshot> {
    const { width } = question;
    return this.#flight(keyOf(question, width), async () => {
      const whole = this.#remembered(question, WIDTH) ?? (await this.#whole(question, own));
      const picture = new Screenshot(await scale(whole.png, width), whole.takenAt);
      return this.#hot.get(keyOf(question)) === whole ? this.#keep(question, width, picture) : picture;
    });
  }

  async #take(question: ScreenshotRequest, own: ReadonlySet<string>): Promise<Screenshot> {
    const { account, target } = question;
    const failure = this.#failures.get(keyOf(question));
    if (failure !== undefined) throw failure.value;
    try {
      const picture = new Screenshot(await this.#parts.capture(account.id, target.url, own), Date.now());
      this.taken += 1;
      if (!(await this.#parts.domains.of(account)).has(target.domain)) throw notFound(target);
      this.#hot.deletePrefix(keyOf(question, ''));
      this.#write(account, target, picture);
      return this.#keep(question, WIDTH, picture);
    } catch (error) {
      this.failed += 1;
      if (error instanceof HttpError && error.code === 'site_unreachable') this.#failures.set(keyOf(question), error);
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

  #keep(question: ScreenshotRequest, width: number, picture: Screenshot): Screenshot {
    this.#hot.set(keyOf(question, width), picture, picture.png.byteLength);
    return picture;
  }

  /** Nobody waits for the disk, but the end of the plugin does. */
  #write(account: Account, target: Target, picture: Screenshot): void {
    const write = this.#store(account, target, picture)
      .catch((error: unknown) => this.#parts.log.warn({ err: error }, 'a picture could not be kept'))
      .finally(() => this.#writes.delete(write));
    this.#writes.add(write);
  }

  /** A domain may leave while its picture is being written, and have been cleared away already. */
  async #store(account: Account, { domain, url }: Target, picture: Screenshot): Promise<void> {
    const { disk, domains } = this.#parts;
    await disk.write(account.id, domain, url, picture);
    const own = await domains.of(account);
    if (!own.has(domain)) await disk.keepOnly(account.id, own);
  }
}

/** The account is part of every key, and comes first. */
function keyOf({ account, target }: ScreenshotRequest, width: number | '' = WIDTH): string {
  return `${account.id} ${target.url} ${width}`;
}

/** The same for a domain that nobody has and for somebody else's. */
export function notFound({ domain }: Target): HttpError {
  return new HttpError('domain_not_found', `the account has no domain ${domain}`);
}
