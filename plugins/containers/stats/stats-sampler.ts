import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { PollTimer } from '../../../kernel/kit/waiting/poll-timer.ts';
import { Polled } from '../../../kernel/kit/waiting/polled.ts';
import { HttpError } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { ready, type Reply } from '../../../kernel/contract/reply.ts';
import { dateText, isoTime } from '../docker-format.ts';
import type { FiguresSample } from '../../../kernel/areas/containers.ts';
import type { ContainerList } from '../engine/container-list.ts';
import { unavailable } from '../errors.ts';
import type { StatsCollector } from './stats-collector.ts';
import { totals } from './totals.ts';

const TIMING = {
  intervalMs: 2000,
  /** Sampling for an account stops this long after its last poll. */
  idleMs: 10_000,
  /** An older sample is not served. */
  maxAgeMs: 5000,
  /** How long a poll waits for the first sample. */
  waitMs: 3000,
  /** After a failure, how long polls are refused before the next attempt. */
  pauseMs: 2000,
};
/** Samples of an account that are kept, and how many of its containers they tell of. */
const KEPT = { samples: 61, containers: 50 };
const DETAIL = 'the containers cannot be measured';
const LATE_DETAIL = 'the containers could not be measured in time';

/** One account's sampling. */
interface Watch {
  polledMs: number;
  readonly reply: Polled<Reply>;
  /** The latest ones. */
  readonly samples: FiguresSample[];
}

export interface StatsSamplerParts {
  readonly list: Pick<ContainerList, 'read' | 'latest'>;
  readonly collector: Pick<StatsCollector, 'measure' | 'keepOnly'>;
  readonly log: Log;
  readonly timing?: typeof TIMING;
}

/**
 * Samples the containers of one engine for the accounts that poll: each round lists the containers once and measures
 * those of these accounts. The cost depends on the containers, not on the polls, and ends with them.
 */
export class StatsSampler {
  readonly #parts: StatsSamplerParts;
  readonly #timing: typeof TIMING;
  readonly #rounds: PollTimer;
  readonly #watches = new Map<number, Watch>();

  constructor({ timing = TIMING, ...parts }: StatsSamplerParts) {
    this.#parts = parts;
    this.#timing = timing;
    this.#rounds = new PollTimer({
      everyMs: timing.intervalMs,
      idleMs: timing.idleMs,
      tick: () => this.#runRound(),
      onIdle: () => this.#forgetAll(),
    });
  }

  get isRunning(): boolean {
    return this.#rounds.isRunning;
  }

  /** Age of the oldest sample, in seconds; `undefined` when there is none. */
  get ageSeconds(): number | undefined {
    const ages = [...this.#watches.values()].flatMap(({ reply }) => reply.ageMs ?? []);
    return ages.length === 0 ? undefined : Math.max(...ages) / 1000;
  }

  /**
   * Returns the reply with the newest sample, at most 5 s old; a promise only where there is none yet. Errors: 503
   * `containers_unavailable`.
   */
  poll(account: Account): Reply | Promise<Reply> {
    return this.#watch(account).reply.read();
  }

  /** Resolves with the samples since somebody polls, the newest last. Errors: as `poll`. */
  async samples(account: Account): Promise<readonly FiguresSample[]> {
    const { reply, samples } = this.#watch(account);
    await reply.read();
    return samples.slice();
  }

  close(): void {
    this.#rounds.close();
    for (const { reply } of this.#watches.values()) void reply.close();
    this.#watches.clear();
  }

  #watch(account: Account): Watch {
    this.#rounds.poll();
    const polledMs = performance.now();
    const known = this.#watches.get(account.id);
    if (known !== undefined) return Object.assign(known, { polledMs });
    const samples: FiguresSample[] = [];
    const watch = { polledMs, samples, reply: this.#pollReply(account, samples) };
    this.#watches.set(account.id, watch);
    return watch;
  }

  #pollReply(account: Account, samples: FiguresSample[]): Polled<Reply> {
    const { maxAgeMs, waitMs, pauseMs } = this.#timing;
    return new Polled({
      measure: () => this.#sample(account, samples),
      freshMs: (tookMs) => maxAgeMs - tookMs,
      waitMs,
      late: () => unavailable(undefined, LATE_DETAIL),
      // a list that is known to be down refuses at once, and pauses by itself
      retryMs: (error) => (error instanceof HttpError ? 0 : pauseMs),
      failed: (error) => unavailable(error, DETAIL),
      onStateChange: (error) => {
        const { username } = account;
        if (error === undefined) this.#parts.log.info({ account: username }, 'the containers can be measured again');
        else if (!(error instanceof HttpError)) this.#parts.log.warn({ account: username, err: error }, DETAIL);
      },
    });
  }

  async #sample(account: Account, samples: FiguresSample[]): Promise<Reply> {
    const snapshot = await this.#parts.list.read();
    const now = Date.now();
    const containers = await this.#parts.collector.measure(snapshot.of(account), account.id);
    samples.push({ atMs: now, containers: containers.slice(0, KEPT.containers) });
    if (samples.length > KEPT.samples) samples.shift();
    const times = { date: dateText(now), sampled_at: isoTime(now) };
    return ready({ container_stats: { ...times, stats: totals(containers) } });
  }

  /** Samples for every account that polled recently. */
  #runRound(): void {
    const now = performance.now();
    for (const [id, { polledMs, reply }] of this.#watches)
      if (now - polledMs > this.#timing.idleMs) this.#watches.delete(id);
      else reply.renew();
    this.#parts.collector.keepOnly(this.#parts.list.latest?.all ?? []);
  }

  #forgetAll(): void {
    this.#watches.clear();
    this.#parts.collector.keepOnly([]);
  }
}
