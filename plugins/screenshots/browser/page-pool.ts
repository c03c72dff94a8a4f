import { withDeadline } from '../../../kernel/kit/waiting/deadline.ts';
import { FairQueue } from '../../../kernel/kit/waiting/fair-queue.ts';
import { HttpError } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { EgressPolicy } from '../egress/egress-policy.ts';
import type { Settings } from '../schema.ts';
import type { Chromium } from './chromium.ts';
import { MemoryWatch } from './memory-watch.ts';
import { BrowserEnded, OpenPage, PageFailed } from './open-page.ts';
import { fail } from '../errors.ts';

/** Part of the queue that one account may fill. */
const QUEUE_SHARE = 0.75;
/** How long an empty page may take to open. */
const OPEN_MS = 20_000;

/** Takes screenshots on a bounded number of pages, which accounts share fairly. */
export class PagePool {
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #chromium: Chromium;
  readonly #policy: EgressPolicy;
  readonly #watch: MemoryWatch;
  readonly #queue: FairQueue;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** An empty page, opened in advance for the next screenshot; it counts as open. */
  #spare: Promise<OpenPage> | undefined;
  /** Resolves once a spare page that is no longer wanted is closed. */
  #dropped: Promise<void> = Promise.resolve();
  #open = 0;

  constructor(chromium: Chromium, settings: Settings, log: Log, policy: EgressPolicy) {
    this.#settings = settings;
    this.#log = log;
    this.#chromium = chromium;
    this.#policy = policy;
    this.#watch = new MemoryWatch(settings.page_memory_bytes, log);
    this.#queue = new FairQueue({
      slots: settings.pages,
      waiting: Math.ceil(settings.queue_limit * QUEUE_SHARE),
      waitingOfAll: settings.queue_limit,
    });
  }

  /** Number of open pages, an empty one included. */
  get open(): number {
    return this.#open;
  }

  /** Why the latest start of the browser failed; `undefined` if it did not. */
  get launchFailure(): unknown {
    return this.#chromium.launchFailure;
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /**
   * Resolves with a PNG of a page of the account, whose domains are `own`. Errors: 502 `site_unreachable`, 503
   * `overloaded`, `screenshots_unavailable`.
   */
  capture(accountId: number, url: string, own: ReadonlySet<string>): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const run = this.#queue
        .run(accountId, () => this.#run(url, own, resolve), { signal: this.#closing.signal })
        .catch(reject)
        .finally(() => {
          this.#running.delete(run);
          this.#restWhenIdle();
        });
      this.#running.add(run);
    });
  }

  async close(): Promise<void> {
    this.#closing.abort(fail.overloaded('the server is stopping', { retryAfterSeconds: 5 }));
    await this.#chromium.kill();
    await Promise.all(this.#running);
    await this.#dropSpare();
    this.#watch.stop();
    await this.#chromium.close();
  }

  /** Passes the PNG on before the page is closed, so that the client does not wait for that. */
  async #run(
    url: string,
    own: ReadonlySet<string>,
    deliver: (png: Uint8Array) => void,
    isRetry = false,
  ): Promise<void> {
    const { signal } = this.#closing;
    signal.throwIfAborted();
    try {
      const page = await this.#takePage();
      try {
        deliver(await page.capture(url, own));
      } finally {
        await this.#closePage(page);
      }
    } catch (error) {
      if (!(error instanceof BrowserEnded) || isRetry || signal.aborted) throw problemOf(error);
      await this.#run(url, own, deliver, true);
    }
  }

  async #takePage(): Promise<OpenPage> {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare !== undefined) return spare;
    await this.#dropped; // or there would be one page too many
    return this.#openPage();
  }

  #openPage(): Promise<OpenPage> {
    this.#open += 1;
    const page = this.#prepare();
    page.catch(() => (this.#open -= 1)); // rejects for its caller
    return page;
  }

  async #prepare(): Promise<OpenPage> {
    const launched = await this.#chromium.acquire();
    const open = async () => {
      await this.#watch.start(launched);
      return OpenPage.open(launched.browser, this.#policy, this.#settings);
    };
    return withDeadline(open(), OPEN_MS, () => {
      this.#log.warn('the browser does not answer; killing it');
      this.#chromium.abandon(launched); // or it would have everybody wait
      return new BrowserEnded(`the browser opened no page within ${OPEN_MS} ms`);
    });
  }

  #restWhenIdle(): void {
    if (this.#queue.running > 0 || this.#closing.signal.aborted) return;
    this.#watch.stop();
    if (this.#open === 0) this.#openSpare();
    this.#chromium.endWhenIdle(() => this.#dropSpare());
  }

  #openSpare(): void {
    const spare = this.#openPage();
    this.#spare = spare;
    spare.catch((error: unknown) => {
      if (this.#spare === spare) this.#spare = undefined;
      this.#log.debug({ err: error }, 'no page could be opened in advance');
    });
  }

  #dropSpare(): Promise<void> {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare !== undefined)
      this.#dropped = spare.then(
        (page) => this.#closePage(page),
        () => undefined, // logged when it was opened
      );
    return this.#dropped;
  }

  async #closePage(page: OpenPage): Promise<void> {
    const isClosed = await page.close();
    this.#open -= 1;
    if (isClosed) return;
    this.#log.warn('a page did not close; killing the browser');
    await this.#chromium.kill();
  }
}

function problemOf(error: unknown): HttpError {
  if (error instanceof PageFailed) return fail.site_unreachable(error.message, { cause: error.cause ?? error });
  return fail.screenshots_unavailable('the browser is not available right now', { retryAfterSeconds: 5, cause: error });
}
