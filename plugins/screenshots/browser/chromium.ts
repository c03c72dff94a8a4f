import { withDeadline } from '../../../kernel/kit/waiting/deadline.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Settings } from '../schema.ts';
import type { BrowserProgram } from './launch-command.ts';
import { launchBrowser, type LaunchedBrowser } from './launched-browser.ts';

/** After a failed launch, `acquire` rejects at once for this long. */
const RETRY_MS = 5000;
const CLOSE_MS = 10_000;

/** The one browser process: started on demand, ended when idle, restarted after it died. */
export class Chromium {
  readonly #installed: BrowserProgram;
  readonly #settings: Settings;
  readonly #log: Log;
  #launched: Promise<LaunchedBrowser> | undefined;
  /** The browser of `#launched`, once it runs. */
  #running: LaunchedBrowser | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #failure: { readonly error: unknown; readonly untilMs: number } | undefined;
  #isClosed = false;

  constructor(installed: BrowserProgram, settings: Settings, log: Log) {
    this.#installed = installed;
    this.#settings = settings;
    this.#log = log;
  }

  /** Why the latest start failed; `undefined` if it did not. */
  get launchFailure(): unknown {
    return this.#failure?.error;
  }

  /** Returns the running browser, or starts it. Rejects when it cannot be started. */
  acquire(): Promise<LaunchedBrowser> {
    clearTimeout(this.#idle);
    if (this.#isClosed) return Promise.reject(new Error('the server is stopping'));
    if (this.#failure !== undefined && performance.now() < this.#failure.untilMs)
      return Promise.reject(this.#failure.error);
    this.#launched ??= this.#start();
    return this.#launched;
  }

  /** Ends the browser after the idle time, unless `acquire` is called before that; `release` is called first. */
  endWhenIdle(release: () => Promise<void>): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void release().then(() => this.#stop()), this.#settings.idle_seconds * 1000).unref();
  }

  /** Ends the browser at once, with everything that is open in it. */
  async kill(): Promise<void> {
    const launched = await this.#launched?.catch(() => undefined); // it was never launched, as its callers know
    launched?.kill();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await this.#stop();
  }

  async #stop(): Promise<void> {
    const launched = await this.#launched?.catch(() => undefined); // it was never launched, as its callers know
    this.#launched = this.#running = undefined;
    if (launched !== undefined)
      await withDeadline(
        launched.browser.close().then(() => launched.ended),
        CLOSE_MS,
      ).catch((error: unknown) => {
        this.#log.warn({ err: error }, 'the browser did not shut down cleanly');
        launched.kill();
      });
    await this.#ended;
  }

  /** Ends a browser that does not answer; the next `acquire` starts another one, while this one may still be ending. */
  abandon(launched: LaunchedBrowser): void {
    if (this.#running !== launched) return;
    this.#launched = this.#running = undefined;
    launched.kill();
  }

  async #start(): Promise<LaunchedBrowser> {
    try {
      const launched = await launchBrowser(this.#installed, this.#settings, this.#log);
      this.#failure = undefined;
      this.#running = launched;
      launched.browser.once('disconnected', () => this.abandon(launched));
      this.#ended = Promise.all([this.#ended, launched.ended.then(() => this.#log.info('browser ended'))]);
      this.#log.info({ version: launched.version, sandboxed: this.#installed.isSandboxed }, 'browser started');
      return launched;
    } catch (error) {
      this.#failure = { error, untilMs: performance.now() + RETRY_MS };
      this.#launched = undefined;
      throw error;
    }
  }
}
