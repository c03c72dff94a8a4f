import { createHash } from 'node:crypto';
import { errorMessage } from '../../../kernel/errors.ts';
import { retryAfterMs } from '../../../kernel/kit/net/retry-after.ts';
import { anyPattern } from '../../../kernel/kit/patterns.ts';
import { Recurring } from '../../../kernel/kit/waiting/recurring.ts';
import type { Log } from '../../../kernel/log.ts';
import { send } from './delivery.ts';
import { endpointSecrets, type WebhooksConfig } from '../schema.ts';
import type { Attempt } from '../attempts.ts';
import type { NamedEndpoint } from '../own-endpoints.ts';
import type { Delivery, DeliveryQueue } from '../store.ts';

const LONGEST_BACKOFF_MS = 6 * 3_600_000;
/** A delivery that is due later than this was postponed by a wrong clock, and counts as due now. */
const LONGEST_WAIT_MS = 2 * LONGEST_BACKOFF_MS;
/** The longest pause between deliveries to an endpoint that fails altogether, unless its Retry-After is longer. */
const LONGEST_PAUSE_MS = 60_000;
/** How long after its time limit an attempt is considered lost, and another process may repeat it. */
const CLAIM_MARGIN_MS = 1000;
/** Stands for the status when there was no answer. */
const NO_ANSWER = 0;

export interface EndpointParts {
  readonly named: NamedEndpoint;
  readonly settings: WebhooksConfig;
  readonly queue: DeliveryQueue;
  readonly log: Log;
  readonly userAgent: string;
  /** Whether this node delivers; only one node of a fleet does. */
  readonly isLeading: () => boolean;
}

/**
 * Delivers the queue of one endpoint, one delivery at a time: a slow endpoint does not delay others, and a delivery
 * that it rejects does not delay the next.
 */
export class Endpoint {
  readonly key: string;
  readonly label: string;
  readonly outcomes = { delivered: 0, failed: 0, dropped: 0 };
  /** Whether it gets events of a type. */
  readonly wants: (type: string) => boolean;
  readonly #parts: EndpointParts;
  readonly #url: URL;
  readonly #abort = new AbortController();
  readonly #delivering: Recurring;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #pausedUntil = 0;

  constructor(parts: EndpointParts) {
    const { key, label, config } = parts.named;
    [this.key, this.label] = [key, label];
    this.#parts = parts;
    this.#url = new URL(config.url);
    this.wants = anyPattern(config.events);
    this.#delivering = new Recurring({
      run: () => this.#deliverDue(),
      failed: (err) => {
        parts.log.warn({ endpoint: this.label, err }, 'the queue could not be read or written; will retry');
        this.#wakeIn(LONGEST_PAUSE_MS);
      },
      everyMs: 0,
    });
  }

  /** Delivers everything that is due; a call during that makes it check again. */
  wake(): void {
    this.#delivering.wake();
  }

  /** Does the same at once, even if the endpoint failed a moment ago: somebody asked for it. */
  retry(): void {
    this.#pausedUntil = 0;
    this.wake();
  }

  async close(): Promise<void> {
    this.#abort.abort();
    clearTimeout(this.#timer);
    await this.#delivering.close();
  }

  async #deliverDue(): Promise<void> {
    clearTimeout(this.#timer);
    while (!this.#abort.signal.aborted && this.#parts.isLeading()) {
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
    const { named, settings, queue, userAgent } = this.#parts;
    const options = {
      url: this.#url,
      secrets: endpointSecrets(named.config),
      timeoutMs: settings.timeout_ms,
      allowPrivate: settings.allow_private,
      userAgent,
      signal: this.#abort.signal,
    };
    if (!(await queue.claim(this.key, delivery, Date.now() + settings.timeout_ms + CLAIM_MARGIN_MS))) return;
    const at = Date.now();
    const startedMs = performance.now();
    const { status, retryAfter, answer, reason } = await send(delivery.body, delivery.event_id, options).then(
      (answered) => ({ ...answered, reason: `answered ${answered.status}` }),
      (error: unknown) => ({ status: NO_ANSWER, retryAfter: '', answer: '', reason: errorMessage(error) }),
    );
    const attempt = { at, ms: Math.round(performance.now() - startedMs), answer, reason };
    // Closed during the attempt: its outcome is unknown, so the next start repeats it.
    if (this.#abort.signal.aborted && status === NO_ANSWER)
      return queue.postpone(this.key, delivery.event_id, delivery.attempts, delivery.due_at);
    if (status >= 200 && status < 300) {
      this.#failures = 0;
      this.outcomes.delivered += 1;
      return queue.delivered(this.key, delivery, { ...attempt, status, reason: '' });
    }
    const retryMs = retryAfterMs(status, retryAfter, Date.now());
    this.#failures = status === NO_ANSWER || status >= 500 || status === 429 ? this.#failures + 1 : 0;
    this.#pausedUntil =
      this.#failures === 0
        ? 0
        : Date.now() + Math.max(retryMs, backoffMs(settings.backoff_ms, this.#failures, LONGEST_PAUSE_MS));
    await this.#failed(delivery, { ...attempt, status: status === NO_ANSWER ? null : status }, retryMs);
  }

  async #failed(delivery: Delivery, attempt: Attempt, retryMs: number): Promise<void> {
    const { settings, queue, log } = this.#parts;
    const { reason } = attempt;
    const attempts = delivery.attempts + 1;
    const fields = { endpoint: this.label, event: delivery.event_id, attempts, reason };
    this.outcomes.failed += 1;
    if (attempts >= settings.attempts || Date.now() - delivery.created_at > settings.age_hours * 3_600_000) {
      this.outcomes.dropped += 1;
      log.warn(fields, 'a delivery was given up');
      return queue.failed(this.key, delivery, attempt, undefined);
    }
    log.info(fields, 'a delivery failed and will be retried');
    const backoff = backoffMs(settings.backoff_ms, attempts, LONGEST_BACKOFF_MS);
    await queue.failed(this.key, delivery, attempt, Date.now() + Math.max(retryMs, backoff));
  }
}

/**
 * Returns the key of an endpoint in the store, and its label: host and position in the configuration, because the URL
 * itself may contain a secret.
 */
export function endpointNames(index: number, url: URL): { key: string; label: string } {
  return { key: createHash('sha256').update(url.href).digest('hex').slice(0, 32), label: `${url.host}#${index}` };
}

/** Returns a delay that doubles with each failure, plus up to a fifth, so that retries spread out. */
export function backoffMs(firstMs: number, failures: number, longestMs: number): number {
  return Math.round(Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 40)) * (1 + Math.random() / 5));
}
