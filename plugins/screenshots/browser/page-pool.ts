import { HttpError, retryLater } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { Chromium } from './chromium.ts';
import { FairQueue } from './fair-queue.ts';
import { EgressPolicy } from '../egress/egress-policy.ts';
import { MemoryWatch } from './memory-watch.ts';
import { BrowserEnded, OpenPage, PageFailed } from './open-page.ts';
import type { Settings } from '../schema.ts';

interface Job {
  readonly url: string;
  readonly own: ReadonlySet<string>;
  readonly isSecondTry: boolean;
  readonly resolve: (png: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/** Takes pictures, a few at once, in turn for all accounts. */
export class PagePool {
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #chromium: Chromium;
  readonly #policy: EgressPolicy;
  readonly #watch: MemoryWatch;
  readonly #queue: FairQueue<Job>;
  readonly #running = new Set<Promise<void>>();
  /** Opened ahead, empty, for the next picture; it counts as open. */
  #spare: Promise<OpenPage> | undefined;
  #open = 0;
  #isClosed = false;

  constructor(executable: string, settings: Settings, log: Log, policy: EgressPolicy) {
    this.#settings = settings;
    this.#log = log;
    this.#chromium = new Chromium(executable, settings, log);
    this.#policy = policy;
    this.#watch = new MemoryWatch(settings.page_memory_bytes, log);
    this.#queue = new FairQueue(settings.queue_limit, Math.ceil(settings.queue_limit * 0.75));
  }

  /** Pages that are open, an empty one included. */
  get open(): number {
    return this.#open;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  get isRunning(): boolean {
    return this.#chromium.isRunning;
  }

  /** A PNG of a page of the account, whose domains are `own`. Errors: 502 `site_unreachable`, 503 `overloaded`, `screenshots_unavailable`. */
  capture(accountId: number, url: string, own: ReadonlySet<string>): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const job = { url, own, isSecondTry: false, resolve, reject };
      if (this.#isClosed || !this.#queue.push(accountId, job))
        return reject(retryLater('overloaded', 'too many pictures are waiting', this.#settings.page_seconds));
      this.#pump();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift())
      job.reject(retryLater('overloaded', 'the server is stopping', 5));
    await this.#chromium.kill();
    await Promise.all(this.#running);
    await this.#dropSpare();
    this.#watch.stop();
    await this.#chromium.close();
  }

  #pump(): void {
    while (this.#queue.size > 0 && (this.#spare !== undefined || this.#open < this.#settings.pages)) {
      const page = this.#spare ?? this.#openPage();
      this.#spare = undefined;
      const job = this.#queue.shift();
      if (job !== undefined) this.#start(job, page);
    }
    if (this.#running.size > 0 || this.#isClosed) return;
    this.#watch.stop();
    if (this.#open === 0) this.#openSpare();
    this.#chromium.rest(() => this.#dropSpare());
  }

  #start(job: Job, page: Promise<OpenPage>): void {
    const run = this.#run(job, page).finally(() => {
      this.#running.delete(run);
      this.#pump();
    });
    this.#running.add(run);
  }

  async #run(job: Job, opening: Promise<OpenPage>): Promise<void> {
    try {
      const page = await opening;
      try {
        job.resolve(await page.capture(job.url, job.own));
      } finally {
        await this.#closePage(page);
      }
    } catch (error) {
      if (!(error instanceof BrowserEnded) || job.isSecondTry || this.#isClosed) return job.reject(this.#told(error));
      await this.#run({ ...job, isSecondTry: true }, this.#openPage());
    }
  }

  #openPage(): Promise<OpenPage> {
    this.#open += 1;
    const page = this.#prepare();
    page.catch(() => (this.#open -= 1));
    return page;
  }

  async #prepare(): Promise<OpenPage> {
    const browser = await this.#chromium.acquire();
    await this.#watch.start(browser);
    return OpenPage.open(browser, this.#policy, this.#settings);
  }

  #openSpare(): void {
    const spare = this.#openPage();
    this.#spare = spare;
    spare.catch((error: unknown) => {
      if (this.#spare === spare) this.#spare = undefined;
      this.#log.debug({ err: error }, 'no page could be opened ahead');
    });
  }

  async #dropSpare(): Promise<void> {
    const spare = this.#spare;
    this.#spare = undefined;
    const page = await spare?.catch(() => undefined);
    if (page !== undefined) await this.#closePage(page);
  }

  async #closePage(page: OpenPage): Promise<void> {
    const isClosed = await page.close();
    this.#open -= 1;
    if (isClosed) return;
    this.#log.warn('a page did not close; the browser is killed');
    await this.#chromium.kill();
  }

  #told(error: unknown): HttpError {
    if (error instanceof PageFailed)
      return new HttpError('site_unreachable', error.message, { cause: error.cause ?? error });
    return retryLater('screenshots_unavailable', 'the browser is not available at the moment', 5, error);
  }
}
