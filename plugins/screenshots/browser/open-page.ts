import type { Browser, BrowserContext, CDPSession, Page } from 'puppeteer-core';
import { withDeadline } from '../../../kernel/kit/waiting/deadline.ts';
import { EgressProxy } from '../egress/egress-proxy.ts';
import type { EgressPolicy } from '../egress/egress-policy.ts';
import type { Settings } from '../schema.ts';

/** The page could not be shown, for a reason that lies with the site. */
export class PageFailed extends Error {}

/** The browser process ended, and with it every page. */
export class BrowserEnded extends Error {}

/** Part of a page's time after which it is captured as it is, loaded or not. */
const LOAD_SHARE = 0.75;
/** How long a page may go on loading after its load event. */
const SETTLE_MS = 1500;
const CLOSE_MS = 3000;

/**
 * Runs in every frame before the page's own scripts, and removes what would block the page or outlive it. The browser
 * refuses the same by other means, because a page may find a way around a script.
 */
const HARDENING_SCRIPT = `(() => {
  for (const name of ['alert', 'confirm', 'prompt', 'print', 'open'])
    Object.defineProperty(globalThis, name, { value: () => null });
  delete globalThis.SharedWorker;
  delete Navigator.prototype.serviceWorker;
  delete Navigator.prototype.mediaDevices;
})()`;

/** One page with its own browser context and its own egress proxy, for one screenshot. */
export class OpenPage {
  readonly #settings: Settings;
  readonly #context: BrowserContext;
  readonly #egress: EgressProxy;
  readonly #page: Page;
  readonly #cdp: CDPSession;
  #requests = 0;
  #inFlight = 0;
  #onEnd: (error: Error) => void = () => undefined;
  /** Rejects when the page or the browser ends before the screenshot is taken. */
  readonly #ended = new Promise<never>((_, reject) => (this.#onEnd = reject));

  private constructor(settings: Settings, context: BrowserContext, egress: EgressProxy, page: Page, cdp: CDPSession) {
    this.#settings = settings;
    this.#context = context;
    this.#egress = egress;
    this.#page = page;
    this.#cdp = cdp;
    this.#ended.catch(() => undefined); // for whoever waits for the page
  }

  /** Opens an empty page that may not connect anywhere yet. */
  static async open(browser: Browser, policy: EgressPolicy, settings: Settings): Promise<OpenPage> {
    const egress = await EgressProxy.listen(policy, {
      bytes: settings.page_bytes,
      connections: settings.page_requests,
    });
    let context: BrowserContext | undefined;
    try {
      context = await browser.createBrowserContext({
        proxyServer: egress.url,
        proxyBypassList: ['<-loopback>'],
        downloadBehavior: { policy: 'deny' },
      });
      const page = await context.newPage();
      const cdp = await page.createCDPSession();
      const open = new OpenPage(settings, context, egress, page, cdp);
      await open.#restrict(browser);
      return open;
    } catch (error) {
      egress.close();
      await context?.close().catch(() => undefined); // fails too if the browser is what failed
      throw browser.connected ? error : new BrowserEnded('the browser ended', { cause: error });
    }
  }

  /** A PNG of the first screen. Rejects with `PageFailed` or `BrowserEnded`. */
  async capture(url: string, own: ReadonlySet<string>): Promise<Uint8Array> {
    const { page_seconds: seconds } = this.#settings;
    try {
      this.#egress.open(own);
      return await withDeadline(
        Promise.race([this.#show(url), this.#ended]),
        seconds * 1000,
        () => new PageFailed(`the page was not ready within ${seconds} s`),
      );
    } catch (error) {
      if (error instanceof BrowserEnded || !this.#context.browser().connected)
        throw new BrowserEnded('the browser ended', { cause: error });
      if (error instanceof PageFailed) throw error;
      throw new PageFailed('the site could not be reached', { cause: this.#egress.refusal ?? error });
    } finally {
      this.#egress.stop('the screenshot was taken');
    }
  }

  /** Closes the page; resolves with false when the browser did not do so in time and has to be killed. */
  async close(): Promise<boolean> {
    this.#egress.close();
    return withDeadline(this.#context.close(), CLOSE_MS).then(
      () => true,
      () => !this.#context.browser().connected,
    );
  }

  async #restrict(browser: Browser): Promise<void> {
    const page = this.#page;
    browser.once('disconnected', () => this.#onEnd(new BrowserEnded('the browser ended')));
    page.on('error', () => this.#onEnd(new PageFailed('the page crashed or used too much memory')));
    page.on('close', () => this.#onEnd(new PageFailed('the page closed itself')));
    page.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined)); // gone with its page
    page.on('request', () => this.#countRequest());
    page.on('requestfinished', () => (this.#inFlight -= 1));
    page.on('requestfailed', () => (this.#inFlight -= 1));
    page.on('workercreated', (worker) => {
      worker.client.on('Network.requestWillBeSent', () => this.#countRequest());
      worker.client.send('Network.enable').catch(() => undefined); // gone with its page
    });
    this.#context.on('targetcreated', (target) => {
      if (target.type() === 'page' && target !== page.target())
        void target
          .page()
          .then((popup) => popup?.close())
          .catch(() => undefined); // gone already
    });
    await Promise.all([
      page.evaluateOnNewDocument(HARDENING_SCRIPT),
      page.setBypassServiceWorker(true),
      this.#cdp.send('Page.enable'),
    ]);
  }

  #countRequest(): void {
    this.#requests += 1;
    this.#inFlight += 1;
    if (this.#requests > this.#settings.page_requests) this.#egress.stop('the page made too many requests');
  }

  async #show(url: string): Promise<Uint8Array> {
    await this.#load(url, this.#settings.page_seconds * 1000 * LOAD_SHARE);
    if (this.#inFlight > 0) {
      const idle = this.#page.waitForNetworkIdle({ idleTime: 100, timeout: SETTLE_MS });
      await idle.catch(() => undefined); // then it is captured as it is
    }
    if (!/^https?:/.test(this.#page.url()))
      throw new PageFailed('the page did not lead to an http or https address', { cause: this.#egress.refusal });
    const { data } = await this.#cdp.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true });
    return Buffer.from(data, 'base64');
  }

  /**
   * Loads a URL; a page that is not loaded in time is kept as it is. Tries again when the browser aborted the load
   * because network interfaces, such as those of containers, came or went.
   */
  async #load(url: string, timeoutMs: number, tries = 3): Promise<void> {
    const started = performance.now();
    try {
      await this.#page.goto(url, { waitUntil: 'load', timeout: timeoutMs });
    } catch (error) {
      const { name, message } = error as Error;
      if (name === 'TimeoutError') return;
      const leftMs = timeoutMs - (performance.now() - started);
      if (!message.includes('ERR_NETWORK_CHANGED') || tries <= 1 || leftMs <= 0) throw error;
      await this.#load(url, leftMs, tries - 1);
    }
  }
}
