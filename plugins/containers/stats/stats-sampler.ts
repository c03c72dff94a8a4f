import type { Account } from '../../../kernel/identity/accounts.ts';
import { HttpError } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { ready, type Reply } from '../../../kernel/plugin-api/reply.ts';
import type { StatsCollector } from './stats-collector.ts';
import { inTime, unavailable } from '../engine/unavailable.ts';
import type { ContainerList } from '../engine/container-list.ts';
import { totals } from './totals.ts';
import { dateText } from '../docker-format.ts';

/** Times of a sampler, in milliseconds. */
export interface SamplerTiming {
  readonly intervalMs: number;
  /** An account whose last poll is longer ago is not sampled any more. */
  readonly idleMs: number;
  /** An older sample is not answered. */
  readonly maxAgeMs: number;
  /** How long a poll waits for a first sample. */
  readonly waitMs: number;
  /** After a failure, how long polls are refused before the next attempt. */
  readonly pauseMs: number;
}

const PACE: SamplerTiming = { intervalMs: 2000, idleMs: 10_000, maxAgeMs: 5000, waitMs: 3000, pauseMs: 2000 };
const DETAIL = 'the containers cannot be measured';

export interface SamplerParts {
  readonly roster: Pick<ContainerList, 'list' | 'assertUp' | 'known'>;
  readonly meter: Pick<StatsCollector, 'measure' | 'keepOnly'>;
  readonly log: Log;
  readonly pace?: SamplerTiming;
}

/** What is sampled for one account. */
interface Watch {
  readonly account: Account;
  polledMs: number;
  /** When the readings of `reply` began, by the monotonic clock. */
  sampledMs: number;
  reply: Reply | undefined;
  flight: Promise<Reply> | undefined;
  failure: { readonly error: unknown; readonly atMs: number } | undefined;
}

/**
 * Samples the containers of one engine for the accounts that poll: each round lists them once and measures those of
 * these accounts. So what it costs depends on the containers, not on the polls. It ends when nobody polls.
 */
export class StatsSampler {
  readonly #roster: SamplerParts['roster'];
  readonly #meter: SamplerParts['meter'];
  readonly #log: Log;
  readonly #pace: SamplerTiming;
  readonly #watches = new Map<number, Watch>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ roster, meter, log, pace = PACE }: SamplerParts) {
    this.#roster = roster;
    this.#meter = meter;
    this.#log = log;
    this.#pace = pace;
  }

  get isRunning(): boolean {
    return this.#timer !== undefined;
  }

  /** Age in seconds of the oldest sample that would be answered; `undefined` when there is none. */
  get ageSeconds(): number | undefined {
    const sampled = [...this.#watches.values()]
      .filter(({ reply }) => reply !== undefined)
      .map(({ sampledMs }) => sampledMs);
    return sampled.length === 0 ? undefined : (performance.now() - Math.min(...sampled)) / 1000;
  }

  /** The reply made of the newest sample, at most 5 s old; a promise only where there is none yet. Errors: 503 `containers_unavailable`. */
  poll(account: Account): Reply | Promise<Reply> {
    const now = performance.now();
    let watch = this.#watches.get(account.id);
    if (watch === undefined)
      this.#watches.set(
        account.id,
        (watch = { account, polledMs: now, sampledMs: 0, reply: undefined, flight: undefined, failure: undefined }),
      );
    watch.polledMs = now;
    if (watch.reply !== undefined && now - watch.sampledMs <= this.#pace.maxAgeMs) return watch.reply;
    return this.#first(watch, now);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#watches.clear();
  }

  async #first(watch: Watch, now: number): Promise<Reply> {
    this.#roster.assertUp();
    if (watch.flight === undefined && watch.failure !== undefined && now - watch.failure.atMs < this.#pace.pauseMs)
      throw unavailable(watch.failure.error, DETAIL);
    this.#timer ??= this.#next();
    return inTime(this.#sample(watch), this.#pace.waitMs, 'the containers could not be measured in time');
  }

  /** One attempt at a time for an account. */
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
            this.#log.warn({ account: watch.account.username, err: error }, 'the containers cannot be measured');
          watch.failure = { error, atMs: performance.now() };
          throw unavailable(error, DETAIL);
        },
      )
      .finally(() => (watch.flight = undefined));
    return watch.flight;
  }

  async #attempt(watch: Watch): Promise<Reply> {
    const listing = await this.#roster.list();
    const [sampledMs, date] = [performance.now(), dateText(Date.now())];
    const measured = await this.#meter.measure(listing.of(watch.account));
    watch.sampledMs = sampledMs;
    watch.reply = ready({ container_stats: { date, stats: totals(measured) } });
    return watch.reply;
  }

  #next(): NodeJS.Timeout {
    return setTimeout(() => void this.#round(), this.#pace.intervalMs).unref();
  }

  /** Samples for all who polled lately; what fails is kept in the watch, for the polls that meet it. */
  async #round(): Promise<void> {
    const now = performance.now();
    for (const [id, watch] of this.#watches) if (now - watch.polledMs > this.#pace.idleMs) this.#watches.delete(id);
    this.#timer = this.#watches.size === 0 ? undefined : this.#next();
    await Promise.allSettled([...this.#watches.values()].map((watch) => this.#sample(watch)));
    this.#meter.keepOnly(this.#watches.size === 0 ? [] : (this.#roster.known?.all ?? []));
  }
}
