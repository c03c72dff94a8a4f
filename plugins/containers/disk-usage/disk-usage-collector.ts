import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { HttpError } from '../../../kernel/errors.ts';
import { EtagReply } from '../../../kernel/contract/etag-reply.ts';
import { Polled } from '../../../kernel/kit/waiting/polled.ts';
import type { Container } from '../engine/container.ts';
import type { ContainerList } from '../engine/container-list.ts';
import { isOwnedBy } from '../engine/container-snapshot.ts';
import type { EngineClient } from '../engine/engine-client.ts';
import { RETRY_SECONDS, unavailable } from '../engine/unavailable.ts';
import type { Labels } from '../engine/untrusted-json.ts';
import type { EngineUsage } from './engine-usage.ts';
import { accountDiskUsage } from './usage-records.ts';

/** The engine walks all of its files, so a measurement may outlast the requests that wait for it. */
const MEASURE_MS = 60_000;
const WAIT_MS = 3000;
/** Containers are served at most this long after the engine listed them. */
const LIST_KEEP_MS = 2000;
/** After a failed measurement, how long no other one is attempted. */
const PAUSE_MS = 5000;
const DETAIL = 'the disk usage cannot be measured';
const BUSY_DETAIL = 'the disk usage is being measured';

/** The engine's containers at one moment, with the sizes of a measurement, and the replies of accounts from both. */
interface Listing {
  readonly usage: EngineUsage;
  readonly all: readonly Container[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly replies: WeakMap<Account, EtagReply>;
}

/**
 * The disk usage of one engine, measured once for all callers, and each account's reply from it. Listing containers is
 * cheap, so replies show them as they are now, with the sizes of a measurement that is kept longer.
 */
export class DiskUsageCollector {
  readonly #engine: EngineClient;
  readonly #list: ContainerList;
  readonly #usage: Polled<EngineUsage>;
  readonly #listing: Polled<Listing>;

  constructor(engine: EngineClient, list: ContainerList, keepMs: number) {
    this.#engine = engine;
    this.#list = list;
    this.#usage = new Polled({
      measure: () => engine.ask('usage', {}, { timeoutMs: MEASURE_MS }),
      freshMs: keepMs,
      retryMs: PAUSE_MS,
    });
    this.#listing = new Polled({
      measure: () => this.#listAll(),
      freshMs: LIST_KEEP_MS,
      waitMs: WAIT_MS,
      late: () => unavailable(undefined, BUSY_DETAIL),
      // a list that is known to be down refuses at once, and pauses by itself
      retryMs: (error) => (error instanceof HttpError ? 0 : RETRY_SECONDS * 1000),
      failed: (error) => unavailable(error, DETAIL),
    });
  }

  /** Returns a promise only where the measurement or the list is too old. Errors: 503 `containers_unavailable`. */
  get(account: Account): EtagReply | Promise<EtagReply> {
    const listing = this.#listing.read();
    return listing instanceof Promise
      ? listing.then((each) => this.#replyFor(account, each))
      : this.#replyFor(account, listing);
  }

  /**
   * Fetches the running containers first, because that shows soon whether the engine is up, and lists all of them last,
   * because a measurement may take long.
   */
  async #listAll(): Promise<Listing> {
    await this.#list.read();
    const usage = await this.#usage.read();
    const now = Date.now();
    return { usage, now, all: await this.#engine.ask('containers', { all: true }), replies: new WeakMap() };
  }

  #replyFor(account: Account, { usage, replies, ...listing }: Listing): EtagReply {
    let reply = replies.get(account);
    if (reply === undefined) {
      const isOwned = (labels: Labels) => this.#engine.isOwn || isOwnedBy(labels, account);
      reply = EtagReply.json(accountDiskUsage(usage, listing, isOwned));
      replies.set(account, reply);
    }
    return reply;
  }
}
