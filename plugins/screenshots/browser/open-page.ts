import type { Browser, BrowserContext, CDPSession, Page } from 'puppeteer';
import { EgressProxy } from '../egress/egress-proxy.ts';
import type { EgressPolicy } from '../egress/egress-policy.ts';
import type { Settings } from '../schema.ts';

/** The page could not be shown, for a reason that is the page's own. */
export class PageFailed extends Error {}

/** The browser is gone, and so is whatever it was showing. */
export class BrowserEnded extends Error {}

export const WIDTH = 1280;
export const HEIGHT = 800;

/** Part of a page's time after which it is taken as it is, loaded or not. */
const LOAD_SHARE = 0.75;
/** A page that still loads something after its load event gets so long to finish. */
const SETTLE_MS = 1500;
const CLOSE_MS = 3000;

/** Runs in every frame before the page's own scripts. What it takes away the browser refuses as well, or it would outlive the page. */
const HARDENING_SCRIPT = `(() => {
  for (const name of ['alert', 'confirm', 'prompt', 'print', 'open']) Object.defineProperty(globalThis, name, { value: () => null });
  delete globalThis.SharedWorker;
  delete Navigator.prototype.serviceWorker;
  delete Navigator.prototype.mediaDevices;
})()`;

/** One page in a context, with a way out, of its own. It takes one picture. */
export class OpenPage {
  readonly #settings: Settings;
  readonly #context: BrowserContext;
  readonly #egress: EgressProxy;
  readonly #page: Page;
  readonly #cdp: CDPSession;
  #requests = 0;
  #inFlight = 0;
  #onEnd: (error: Error) => void = () => undefined;
  /** Rejects when the page or the browser ends before the picture is taken. */
  readonly #ended = new Promise<never>((_, reject) => (this.#onEnd = reject));

  private constructor(settings: Settings, context: BrowserContext, egress: EgressProxy, page: Page, cdp: CDPSession) {
    this.#settings = settings;
    this.#context = context;
    this.#egress = egress;
    this.#page = page;
    this.#cdp = cdp;
    this.#ended.catch(() => undefined);
  }

  /** Opens an empty page that may not go out yet. */
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
      await context?.close().catch(() => undefined); // the browser may be what failed
      throw browser.connected ? error : new BrowserEnded('the browser ended', { cause: error });
    }
  }

  /** A PNG of the first screen. Rejects with `PageFailed` or `BrowserEnded`. */
  async capture(url: string, own: ReadonlySet<string>): Promise<Uint8Array> {
    const limit = setTimeout(
      () => this.#onEnd(new PageFailed(`the page was not shown within ${this.#settings.page_seconds} s`)),
      this.#settings.page_seconds * 1000,
    );
    try {
      this.#egress.open(own);
      return await Promise.race([this.#show(url), this.#ended]);
    } catch (error) {
      if (error instanceof BrowserEnded || !this.#context.browser().connected)
        throw new BrowserEnded('the browser ended', { cause: error });
      if (error instanceof PageFailed) throw error;
      throw new PageFailed('the site cannot be reached', { cause: this.#egress.refusal ?? error });
    } finally {
      clearTimeout(limit);
      this.#egress.stop('the picture is taken');
    }
  }

  /** Whether the browser did as it was told; where not, it has to be killed. */
  async close(): Promise<boolean> {
    this.#egress.close();
    let limit: NodeJS.Timeout | undefined;
    const isLate = new Promise<false>((resolve) => (limit = setTimeout(() => resolve(false), CLOSE_MS)));
    const isClosed = this.#context.close().then(
      () => true,
      () => !this.#context.browser().connected,
    );
    return Promise.race([isClosed, isLate]).finally(() => clearTimeout(limit));
  }

  async #restrict(browser: Browser): Promise<void> {
    const page = this.#page;
    browser.once('disconnected', () => this.#onEnd(new BrowserEnded('the browser ended')));
    page.on('error', () => this.#onEnd(new PageFailed('the page took too much memory, or broke the browser')));
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
          .catch(() => undefined);
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
    if (this.#requests > this.#settings.page_requests) this.#egress.stop('the page asked for too much');
  }

  async #show(url: string): Promise<Uint8Array> {
    await this.#load(url, this.#settings.page_seconds * 1000 * LOAD_SHARE);
    if (this.#inFlight > 0)
      await this.#page.waitForNetworkIdle({ idleTime: 100, timeout: SETTLE_MS }).catch(() => undefined); // then as it is
    if (!/^https?:/.test(this.#page.url()))
      throw new PageFailed('the page leads nowhere', { cause: this.#egress.refusal });
    const { data } = await this.#cdp.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true });
    return Buffer.from(data, 'base64');
  }

  /** What is not loaded in time is shown as it is. Where interfaces of containers come and go, the browser gives up what it was loading: then once more. */
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
