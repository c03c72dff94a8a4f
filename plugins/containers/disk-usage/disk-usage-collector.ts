import type { Account } from '../../../kernel/identity/accounts.ts';
import { withDeadline } from '../../../kernel/concurrency/deadline.ts';
import { ready, type Reply } from '../../../kernel/plugin-api/reply.ts';
import type { ContainerList } from '../engine/container-list.ts';
import { isOwnedBy } from '../engine/container-snapshot.ts';
import type { EngineClient } from '../engine/engine-client.ts';
import { unavailable } from '../engine/unavailable.ts';
import { largestCount, parseEngineUsage, type EngineUsage } from './engine-usage.ts';
import { usageOf } from './usage-records.ts';

/** The engine walks all of its files, so a measurement may outlast the requests that wait for it. */
const MEASURE_MS = 60_000;
const WAIT_MS = 3000;
/** After a failure, how long requests are refused before the next attempt. */
const PAUSE_MS = 5000;
/** Items of one kind on an account's own engine; a longer list is refused. */
const OWN_ITEMS = 5000;
const DETAIL = 'the disk usage cannot be measured';
const BUSY_DETAIL = 'the disk usage is being measured';

interface Measurement {
  readonly usage: EngineUsage;
  readonly atMs: number;
  readonly replies: WeakMap<Account, Reply>;
}

/** The disk usage of one engine, measured once for all callers, and each account's reply from it. */
export class DiskUsageCollector {
  readonly #engine: EngineClient;
  readonly #list: ContainerList;
  readonly #keepMs: number;
  #latest: Measurement | undefined;
  #flight: Promise<void> | undefined;
  #failure: { readonly error: unknown; readonly atMs: number } | undefined;

  constructor(engine: EngineClient, list: ContainerList, keepMs: number) {
    this.#engine = engine;
    this.#list = list;
    this.#keepMs = keepMs;
  }

  /**
   * Returns the reply of the kept measurement; a promise only where there is none. Errors: 503
   * `containers_unavailable`.
   */
  get(account: Account): Reply | Promise<Reply> {
    if (this.#latest !== undefined && performance.now() - this.#latest.atMs <= this.#keepMs)
      return this.#replyFor(account, this.#latest);
    return this.#waitForMeasurement(account);
  }

  async #waitForMeasurement(account: Account): Promise<Reply> {
    this.#list.assertUp();
    if (this.#flight === undefined && this.#failure !== undefined && performance.now() - this.#failure.atMs < PAUSE_MS)
      throw unavailable(this.#failure.error, DETAIL);
    this.#flight ??= this.#measure().finally(() => (this.#flight = undefined));
    await withDeadline(this.#flight, WAIT_MS, () => unavailable(undefined, BUSY_DETAIL));
    if (this.#latest === undefined) throw unavailable(this.#failure?.error, DETAIL);
    return this.#replyFor(account, this.#latest);
  }

  /** Never rejects: records the failure. Fetches the list first, because that shows soon whether the engine is up. */
  async #measure(): Promise<void> {
    this.#latest = undefined;
    try {
      await this.#list.snapshot();
      const [usage, containers] = await Promise.all([
        this.#fetch('/system/df'),
        this.#fetch('/containers/json', { all: 'true' }),
      ]);
      this.#keep(parseEngineUsage(usage, containers, Date.now()));
      this.#failure = undefined;
    } catch (error) {
      this.#failure = { error, atMs: performance.now() };
    }
  }

  #keep(usage: EngineUsage): void {
    const items = largestCount(usage);
    if (this.#engine.isOwn && items > OWN_ITEMS)
      throw new Error(
        `the engine at ${this.#engine.socketPath} lists ${items} items of one kind, more than ${OWN_ITEMS}`,
      );
    this.#latest = { usage, atMs: performance.now(), replies: new WeakMap() };
  }

  async #fetch(path: string, query: Record<string, string> = {}): Promise<unknown> {
    const { status, body } = await this.#engine.getJson(path, { query, timeoutMs: MEASURE_MS });
    if (status !== 200) throw new Error(`the engine at ${this.#engine.socketPath} answers ${path} with ${status}`);
    return body;
  }

  #replyFor(account: Account, { usage, replies }: Measurement): Reply {
    let reply = replies.get(account);
    if (reply === undefined) {
      reply = ready(usageOf(usage, (labels) => this.#engine.isOwn || isOwnedBy(labels, account)));
      replies.set(account, reply);
    }
    return reply;
  }
}
