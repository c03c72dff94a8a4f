import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { withDeadline } from '../../../kernel/kit/waiting/deadline.ts';
import { HttpError } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { ready, type Reply } from '../../../kernel/contract/reply.ts';
import { dateText, isoTime } from '../docker-format.ts';
import type { ContainerList } from '../engine/container-list.ts';
import { unavailable } from '../engine/unavailable.ts';
import type { StatsCollector } from './stats-collector.ts';
import { totals } from './totals.ts';

/** Times of the sampler, in milliseconds. */
interface SamplerTiming {
  readonly intervalMs: number;
  /** Sampling for an account stops this long after its last poll. */
  readonly idleMs: number;
  /** An older sample is not served. */
  readonly maxAgeMs: number;
  /** How long a poll waits for the first sample. */
  readonly waitMs: number;
  /** After a failure, how long polls are refused before the next attempt. */
  readonly pauseMs: number;
}

const TIMING: SamplerTiming = { intervalMs: 2000, idleMs: 10_000, maxAgeMs: 5000, waitMs: 3000, pauseMs: 2000 };
const DETAIL = 'the containers cannot be measured';
const LATE_DETAIL = 'the containers could not be measured in time';

export interface StatsSamplerParts {
  readonly list: Pick<ContainerList, 'snapshot' | 'assertUp' | 'latest'>;
  readonly collector: Pick<StatsCollector, 'measure' | 'keepOnly'>;
  readonly log: Log;
  readonly timing?: SamplerTiming;
}

/** The state of sampling for one account. */
interface Watch {
  readonly account: Account;
  polledMs: number;
  /** When the samples in `reply` began, by the monotonic clock. */
  sampledMs: number;
  reply: Reply | undefined;
  flight: Promise<Reply> | undefined;
  failure: { readonly error: unknown; readonly atMs: number } | undefined;
}

/**
 * Samples the containers of one engine for the accounts that poll: each round lists the containers once and measures
 * those of these accounts. The cost depends on the containers, not on the polls, and ends with them.
 */
export class StatsSampler {
  readonly #list: StatsSamplerParts['list'];
  readonly #collector: StatsSamplerParts['collector'];
  readonly #log: Log;
  readonly #timing: SamplerTiming;
  readonly #watches = new Map<number, Watch>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ list, collector, log, timing = TIMING }: StatsSamplerParts) {
    this.#list = list;
    this.#collector = collector;
    this.#log = log;
    this.#timing = timing;
  }

  get isRunning(): boolean {
    return this.#timer !== undefined;
  }

  /** Age of the oldest sample, in seconds; `undefined` when there is none. */
  get ageSeconds(): number | undefined {
    const sampled = [...this.#watches.values()]
      .filter(({ reply }) => reply !== undefined)
      .map(({ sampledMs }) => sampledMs);
    return sampled.length === 0 ? undefined : (performance.now() - Math.min(...sampled)) / 1000;
  }

  /**
   * Returns the reply with the newest sample, at most 5 s old; a promise only where there is none yet. Errors: 503
   * `containers_unavailable`.
   */
  poll(account: Account): Reply | Promise<Reply> {
    const now = performance.now();
    let watch = this.#watches.get(account.id);
    if (watch === undefined)
      this.#watches.set(
        account.id,
        (watch = { account, polledMs: now, sampledMs: 0, reply: undefined, flight: undefined, failure: undefined }),
      );
    watch.polledMs = now;
    if (watch.reply !== undefined && now - watch.sampledMs <= this.#timing.maxAgeMs) return watch.reply;
    return this.#waitForSample(watch, now);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#watches.clear();
  }

  async #waitForSample(watch: Watch, now: number): Promise<Reply> {
    this.#list.assertUp();
    if (watch.flight === undefined && watch.failure !== undefined && now - watch.failure.atMs < this.#timing.pauseMs)
      throw unavailable(watch.failure.error, DETAIL);
    this.#timer ??= this.#scheduleRound();
    return withDeadline(this.#sample(watch), this.#timing.waitMs, () => unavailable(undefined, LATE_DETAIL));
  }

  /** Joins the attempt that is running for the account, or starts one. */
  #sample(watch: Watch): Promise<Reply> {
    watch.flight ??= this.#attempt(watch)
      .then(
        (reply) => {
          if (watch.failure !== undefined)
            this.#log.info({ account: watch.account.username }, 'the containers can be measured again');
          watch.failure = undefined;
          return reply;
        },
        (error: unknown) => {
          const isNew = watch.failure === undefined && this.#watches.has(watch.account.id);
          if (isNew && !(error instanceof HttpError))
            this.#log.warn({ account: watch.account.username, err: error }, DETAIL);
          watch.failure = { error, atMs: performance.now() };
          throw unavailable(error, DETAIL);
        },
      )
      .finally(() => (watch.flight = undefined));
    return watch.flight;
  }

  async #attempt(watch: Watch): Promise<Reply> {
    const snapshot = await this.#list.snapshot();
    const [sampledMs, now] = [performance.now(), Date.now()];
    const times = { date: dateText(now), sampled_at: isoTime(now) };
    const containers = await this.#collector.measure(snapshot.of(watch.account), watch.account.id);
    watch.sampledMs = sampledMs;
    watch.reply = ready({ container_stats: { ...times, stats: totals(containers) } });
    return watch.reply;
  }

  #scheduleRound(): NodeJS.Timeout {
    return setTimeout(() => void this.#runRound(), this.#timing.intervalMs).unref();
  }

  /** Samples for every account that polled recently. `#sample` records failures for the next polls. */
  async #runRound(): Promise<void> {
    const now = performance.now();
    for (const [id, watch] of this.#watches) if (now - watch.polledMs > this.#timing.idleMs) this.#watches.delete(id);
    this.#timer = this.#watches.size === 0 ? undefined : this.#scheduleRound();
    await Promise.allSettled([...this.#watches.values()].map((watch) => this.#sample(watch)));
    this.#collector.keepOnly(this.#watches.size === 0 ? [] : (this.#list.latest?.all ?? []));
  }
}
