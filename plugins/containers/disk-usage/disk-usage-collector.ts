import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { withDeadline } from '../../../kernel/kit/waiting/deadline.ts';
import { EtagReply } from '../../../kernel/contract/etag-reply.ts';
import type { ContainerList } from '../engine/container-list.ts';
import { isOwnedBy } from '../engine/container-snapshot.ts';
import type { EngineClient } from '../engine/engine-client.ts';
import { unavailable } from '../engine/unavailable.ts';
import type { Container } from '../engine/container.ts';
import type { Labels } from '../engine/untrusted-json.ts';
import type { EngineUsage } from './engine-usage.ts';
import { accountDiskUsage } from './usage-records.ts';

/** The engine walks all of its files, so a measurement may outlast the requests that wait for it. */
const MEASURE_MS = 60_000;
const WAIT_MS = 3000;
/** Containers are served at most this long after the engine was asked for them. */
const LIST_KEEP_MS = 2000;
/** After a failure, how long requests are refused before the next attempt. */
const PAUSE_MS = 5000;
const DETAIL = 'the disk usage cannot be measured';
const BUSY_DETAIL = 'the disk usage is being measured';

interface Measurement {
  readonly usage: EngineUsage;
  readonly atMs: number;
}

/** The engine's containers at one moment, and the replies of accounts that show them. */
interface Listing {
  readonly all: readonly Container[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly atMs: number;
  readonly replies: WeakMap<Account, EtagReply>;
}

/**
 * The disk usage of one engine, measured once for all callers, and each account's reply from it. Listing containers is
 * cheap, so replies show them as they are now, with the sizes of a measurement that is kept longer.
 */
export class DiskUsageCollector {
  readonly #engine: EngineClient;
  readonly #list: ContainerList;
  readonly #keepMs: number;
  #measurement: Measurement | undefined;
  #listing: Listing | undefined;
  #flight: Promise<void> | undefined;
  #failure: { readonly error: unknown; readonly atMs: number } | undefined;

  constructor(engine: EngineClient, list: ContainerList, keepMs: number) {
    this.#engine = engine;
    this.#list = list;
    this.#keepMs = keepMs;
  }

  /**
   * Returns the reply of the kept measurement and list; a promise only where either is too old. Errors: 503
   * `containers_unavailable`.
   */
  get(account: Account): EtagReply | Promise<EtagReply> {
    const now = performance.now();
    if (this.#hasMeasurement(now) && this.#listing !== undefined && now - this.#listing.atMs <= LIST_KEEP_MS)
      return this.#replyFor(account);
    return this.#waitForRefresh(account);
  }

  #hasMeasurement(now: number): boolean {
    return this.#measurement !== undefined && now - this.#measurement.atMs <= this.#keepMs;
  }

  async #waitForRefresh(account: Account): Promise<EtagReply> {
    this.#list.assertUp();
    if (this.#flight === undefined && this.#failure !== undefined && performance.now() - this.#failure.atMs < PAUSE_MS)
      throw unavailable(this.#failure.error, DETAIL);
    this.#flight ??= this.#refresh().finally(() => (this.#flight = undefined));
    await withDeadline(this.#flight, WAIT_MS, () => unavailable(undefined, BUSY_DETAIL));
    if (this.#failure !== undefined) throw unavailable(this.#failure.error, DETAIL);
    return this.#replyFor(account);
  }

  /**
   * Never rejects: records the failure. Fetches the running containers first, because that shows soon whether the engine
   * is up, and lists all of them last, because a measurement may take long.
   */
  async #refresh(): Promise<void> {
    try {
      await this.#list.snapshot();
      if (!this.#hasMeasurement(performance.now())) this.#measurement = await this.#measure();
      this.#listing = await this.#listAll();
      this.#failure = undefined;
    } catch (error) {
      this.#failure = { error, atMs: performance.now() };
    }
  }

  async #measure(): Promise<Measurement> {
    const usage = await this.#engine.ask('usage', {}, { timeoutMs: MEASURE_MS });
    return { usage, atMs: performance.now() };
  }

  async #listAll(): Promise<Listing> {
    const [atMs, now] = [performance.now(), Date.now()];
    const all = await this.#engine.ask('containers', { all: true });
    return { all, now, atMs, replies: new WeakMap() };
  }

  #replyFor(account: Account): EtagReply {
    const [measurement, listing] = [this.#measurement, this.#listing];
    if (measurement === undefined || listing === undefined) throw unavailable(undefined, DETAIL);
    let reply = listing.replies.get(account);
    if (reply === undefined) {
      const isOwned = (labels: Labels) => this.#engine.isOwn || isOwnedBy(labels, account);
      reply = EtagReply.json(accountDiskUsage(measurement.usage, listing, isOwned));
      listing.replies.set(account, reply);
    }
    return reply;
  }
}
