import type { Account } from '../../../kernel/identity/accounts.ts';
import { ready, type Reply } from '../../../kernel/plugin-api/reply.ts';
import { isOwnedBy } from '../engine/container.ts';
import type { Engine } from '../engine/engine-client.ts';
import { inTime, unavailable } from '../engine/unavailable.ts';
import type { ContainerList } from '../engine/container-list.ts';
import { parseUsage, sizeOf, usageOf, type Usage } from './engine-usage.ts';

/** An engine walks over all that it keeps, so a measurement may go on while those who asked were told to come back. */
const MEASURE_MS = 60_000;
const WAIT_MS = 3000;
/** After a failure, how long requests are refused before the next attempt. */
const PAUSE_MS = 5000;
/** Things of a kind on an account's own engine; what claims to have more is not written out. */
const OWN_MOST = 5000;
const DETAIL = 'the disk usage cannot be measured';

interface Kept {
  readonly usage: Usage;
  readonly atMs: number;
  readonly replies: WeakMap<Account, Reply>;
}

/** The disk usage of one engine, measured once for all who ask, and the reply that each account gets of it. */
export class DiskUsageCollector {
  readonly #engine: Engine;
  readonly #roster: ContainerList;
  readonly #keepMs: number;
  #kept: Kept | undefined;
  #flight: Promise<void> | undefined;
  #failure: { readonly error: unknown; readonly atMs: number } | undefined;

  constructor(engine: Engine, roster: ContainerList, keepMs: number) {
    this.#engine = engine;
    this.#roster = roster;
    this.#keepMs = keepMs;
  }

  /** The reply of the kept measurement; a promise only where there is none. Errors: 503 `containers_unavailable`. */
  show(account: Account): Reply | Promise<Reply> {
    if (this.#kept !== undefined && performance.now() - this.#kept.atMs <= this.#keepMs)
      return this.#replyFor(account, this.#kept);
    return this.#measured(account);
  }

  async #measured(account: Account): Promise<Reply> {
    this.#roster.assertUp();
    if (this.#flight === undefined && this.#failure !== undefined && performance.now() - this.#failure.atMs < PAUSE_MS)
      throw unavailable(this.#failure.error, DETAIL);
    this.#flight ??= this.#measure().finally(() => (this.#flight = undefined));
    await inTime(this.#flight, WAIT_MS, 'the disk usage is being measured');
    if (this.#kept === undefined) throw unavailable(this.#failure?.error, DETAIL);
    return this.#replyFor(account, this.#kept);
  }

  /** Never rejects; what went wrong is kept for those who ask. The list is asked for first, because it shows soon whether the engine is there. */
  async #measure(): Promise<void> {
    this.#kept = undefined;
    try {
      await this.#roster.list();
      const [usage, containers] = await Promise.all([
        this.#ask('/system/df'),
        this.#ask('/containers/json', { all: 'true' }),
      ]);
      this.#keep(parseUsage(usage, containers, Date.now()));
      this.#failure = undefined;
    } catch (error) {
      this.#failure = { error, atMs: performance.now() };
    }
  }

  #keep(usage: Usage): void {
    if (this.#engine.isOwn && sizeOf(usage) > OWN_MOST)
      throw new Error(`the engine at ${this.#engine.socketPath} says that it has ${sizeOf(usage)} things of a kind`);
    this.#kept = { usage, atMs: performance.now(), replies: new WeakMap() };
  }

  async #ask(path: string, query: Record<string, string> = {}): Promise<unknown> {
    const { status, body } = await this.#engine.get(path, { query, timeoutMs: MEASURE_MS });
    if (status !== 200) throw new Error(`the engine at ${this.#engine.socketPath} answers ${path} with ${status}`);
    return body;
  }

  #replyFor(account: Account, { usage, replies }: Kept): Reply {
    let reply = replies.get(account);
    if (reply === undefined)
      replies.set(
        account,
        (reply = ready(usageOf(usage, (labels) => this.#engine.isOwn || isOwnedBy(labels, account)))),
      );
    return reply;
  }
}
