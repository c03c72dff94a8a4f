import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'puppeteer';
import type { Address } from '../../kernel/plugin-api/route-spec.ts';
import { PASSWORD, type TestServer } from './hostkeep.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export type Theme = 'light' | 'dark';

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** One of our pages in a browser context of its own, and everything that the browser complained about. */
export class PageDriver {
  readonly page: Page;
  /** Errors and warnings of the console, exceptions, refusals of the policy, and requests to elsewhere. */
  readonly complaints: string[] = [];
  readonly base: string;
  readonly #context: BrowserContext;

  private constructor(context: BrowserContext, page: Page, base: string) {
    [this.#context, this.page, this.base] = [context, page, base];
    page.on('console', (message) => {
      if (['error', 'warn'].includes(message.type())) this.complaints.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => void this.complaints.push(`exception: ${String(error)}`));
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(base))
        this.complaints.push(`request to ${request.url()}`);
    });
  }

  static async open(browser: Browser, server: TestServer, address: Address = 'user'): Promise<PageDriver> {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.evaluateOnNewDocument(
      `document.addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI));`,
    );
    const driver = new PageDriver(context, page, server.hostkeep.url(address));
    await driver.show(1280, 'light');
    return driver;
  }

  async show(width: number, theme: Theme): Promise<void> {
    await this.page.setViewport({ width, height: 900 });
    await this.page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: theme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ]);
  }

  async goto(path: string): Promise<void> {
    await this.page.goto(this.base + path);
    await this.settled();
  }

  /** Resolves once nothing is loading any more. */
  async settled(): Promise<void> {
    await this.page.waitForSelector('main');
    await this.page.waitForFunction(`document.querySelector('.skeleton, .spin') === null`, { timeout: 30_000 });
  }

  async logIn(username: string, password = PASSWORD): Promise<void> {
    await this.page.waitForSelector('input[autocomplete=username]');
    await this.page.type('input[autocomplete=username]', username);
    await this.page.type('input[autocomplete=current-password]', password);
    await this.page.keyboard.press('Enter');
  }

  async enter(username: string): Promise<void> {
    await this.goto('/');
    await this.logIn(username);
    await this.page.waitForSelector('.shell');
    await this.settled();
  }

  text(selector = 'body'): Promise<string> {
    return this.page.$eval(selector, (element) => String(element.textContent));
  }

  /** Waits until the page says something. */
  async says(text: string): Promise<void> {
    await this.page.waitForFunction(
      (wanted) =>
        (globalThis as { document?: { body: { innerText: string } } }).document?.body.innerText.includes(wanted),
      { timeout: 30_000 },
      text,
    );
  }

  /** Presses the button or opens the link of this name. */
  async press(name: string): Promise<void> {
    const found = await this.page.waitForSelector(`aria/${name}`);
    await found?.click();
  }

  /** Resolves with what axe-core finds wrong, one line for each rule. */
  async violations(): Promise<string[]> {
    await this.page.evaluate(AXE);
    const { violations } = (await this.page.evaluate(
      `axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, resultTypes: ['violations'] })`,
    )) as { violations: Violation[] };
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join(' | ')}`,
    );
  }

  /** Whether something reaches beyond the window's width. */
  overflows(): Promise<boolean> {
    return this.page.evaluate(
      'document.documentElement.scrollWidth > document.documentElement.clientWidth',
    ) as Promise<boolean>;
  }

  close(): Promise<void> {
    return this.#context.close();
  }
}
