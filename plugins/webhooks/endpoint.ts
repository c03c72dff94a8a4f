import { createHash } from 'node:crypto';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { send } from './delivery.ts';
import { retryAfterMs } from './retry-after.ts';
import type { EndpointConfig, WebhooksConfig } from './schema.ts';
import type { Delivery, DeliveryQueue } from './store.ts';

const LONGEST_BACKOFF_MS = 6 * 3_600_000;
/** Nothing waits longer than this: what is due later was postponed by a clock that was wrong, and is due now. */
const LONGEST_WAIT_MS = 2 * LONGEST_BACKOFF_MS;
/** An endpoint that does not answer at all is left alone for at most this long before the next of its deliveries, unless it asked for longer. */
const LONGEST_PAUSE_MS = 60_000;
/** What an attempt may take beyond its time limit before another process takes it over. */
const CLAIM_MARGIN_MS = 1000;
/** In the place of a status. */
const NO_ANSWER = 0;

/**
 * Delivers what waits for one endpoint, one after the other, at its own pace: neither a slow endpoint nor a delivery
 * that it refuses holds up anything else.
 */
export class Endpoint {
  readonly key: string;
  /** Host and place in the configuration; the URL itself may hold a secret. */
  readonly label: string;
  readonly outcomes = { delivered: 0, failed: 0, dropped: 0 };
  readonly #parts: {
    readonly config: EndpointConfig;
    readonly settings: WebhooksConfig;
    readonly queue: DeliveryQueue;
    readonly log: Log;
    readonly userAgent: string;
  };
  readonly #url: URL;
  readonly #patterns: readonly RegExp[];
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isWoken = false;
  #silences = 0;
  #pausedUntil = 0;

  constructor(
    index: number,
    parts: { config: EndpointConfig; settings: WebhooksConfig; queue: DeliveryQueue; log: Log; userAgent: string },
  ) {
    this.#parts = parts;
    this.#url = new URL(parts.config.url);
    this.key = createHash('sha256').update(this.#url.href).digest('hex').slice(0, 32);
    this.label = `${this.#url.host}#${index}`;
    this.#patterns = parts.config.events.map(
      (pattern) => new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`),
    );
  }

  wants(type: string): boolean {
    return this.#patterns.some((pattern) => pattern.test(type));
  }

  /** Looks for what is due; called again while it works, it looks again. */
  wake(): void {
    this.#isWoken = true;
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#abort.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      while (this.#isWoken && !this.#abort.signal.aborted) {
        this.#isWoken = false;
        await this.#deliverDue();
      }
    } catch (error) {
      this.#parts.log.warn(
        { endpoint: this.label, err: error },
        'the queue could not be read or written; trying again',
      );
      this.#wakeIn(LONGEST_PAUSE_MS);
    }
    this.#running = undefined; // in the same breath as the look at #isWoken
  }

  async #deliverDue(): Promise<void> {
    clearTimeout(this.#timer);
    while (!this.#abort.signal.aborted) {
      const delivery = await this.#parts.queue.next(this.key);
      if (delivery === undefined) return;
      const waitMs = Math.max(delivery.due_at, this.#pausedUntil) - Date.now();
      if (waitMs > 0 && waitMs < LONGEST_WAIT_MS) return this.#wakeIn(waitMs);
      await this.#attempt(delivery);
    }
  }

  #wakeIn(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#abort.signal.aborted)
      this.#timer = setTimeout(() => this.wake(), Math.min(ms, LONGEST_BACKOFF_MS)).unref();
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { config, settings, queue, userAgent } = this.#parts;
    const options = {
      url: this.#url,
      secret: config.secret,
      timeoutMs: settings.timeout_ms,
      allowPrivate: settings.allow_private,
      userAgent,
      signal: this.#abort.signal,
    };
    if (!(await queue.claim(this.key, delivery, Date.now() + settings.timeout_ms + CLAIM_MARGIN_MS))) return;
    const { status, retryAfter, reason } = await send(delivery.body, delivery.event_id, options).then(
      (answer) => ({ ...answer, reason: `answered ${answer.status}` }),
      (error: unknown) => ({ status: NO_ANSWER, retryAfter: '', reason: messageOf(error) }),
    );
    if (this.#abort.signal.aborted && status === NO_ANSWER)
      return queue.postpone(this.key, delivery.event_id, delivery.attempts, delivery.due_at); // nobody knows what came of it, so it is sent again
    if (status >= 200 && status < 300) {
      this.#silences = 0;
      this.outcomes.delivered += 1;
      return queue.remove(this.key, delivery.event_id);
    }
    const askedMs = retryAfterMs(status, retryAfter, Date.now());
    this.#silences = status === NO_ANSWER || status >= 500 || status === 429 ? this.#silences + 1 : 0;
    this.#pausedUntil =
      this.#silences === 0
        ? 0
        : Date.now() + Math.max(askedMs, backoffMs(settings.backoff_ms, this.#silences, LONGEST_PAUSE_MS));
    await this.#failed(delivery, reason, askedMs);
  }

  async #failed({ event_id, attempts, created_at }: Delivery, reason: string, askedMs: number): Promise<void> {
    const { settings, queue, log } = this.#parts;
    const about = { endpoint: this.label, event: event_id, attempts: attempts + 1, reason };
    this.outcomes.failed += 1;
    if (attempts + 1 >= settings.attempts || Date.now() - created_at > settings.age_hours * 3_600_000) {
      this.outcomes.dropped += 1;
      log.warn(about, 'a delivery is given up');
      return queue.remove(this.key, event_id);
    }
    log.info(about, 'a delivery failed and is tried again later');
    await queue.postpone(
      this.key,
      event_id,
      attempts + 1,
      Date.now() + Math.max(askedMs, backoffMs(settings.backoff_ms, attempts + 1, LONGEST_BACKOFF_MS)),
    );
  }
}

/** Doubled with each failure, and up to a fifth longer, so that what failed together does not come back together. */
export function backoffMs(firstMs: number, failures: number, longestMs: number): number {
  return Math.round(Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 40)) * (1 + Math.random() / 5));
}
