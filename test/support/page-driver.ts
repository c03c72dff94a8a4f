import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'puppeteer-core';
import type { Address } from '../../kernel/contract/route-spec.ts';
import { PASSWORD, type TestServer } from './hostkeep.ts';
import { countAssertion } from './assert.ts';
import { LIMIT_MS } from './until.ts';
import { assertNone } from './lists.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Between two looks at what a test waits for: looks in every frame would keep the browser busy. */
const POLL_MS = 100;

/** What measures the machine may be too late on a busy one, of which the browser tells, and then the page asks again. */
const PASSING = /status of 503/;

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
      const { url = '' } = message.location();
      if (['error', 'warn'].includes(message.type()))
        this.complaints.push(`${message.type()}: ${message.text()} ${url}`.trimEnd());
    });
    page.on('pageerror', (error) => void this.complaints.push(`exception: ${String(error)}`));
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(base))
        this.complaints.push(`request to ${request.url()}`);
    });
    for (const name of ['waitForFunction', 'waitForSelector'] as const) this.#explainFailuresOf(name);
    // A locator clicks what is enabled and rests: a click goes to a place, and what loads late moves it.
    page.click = (selector, options) => page.locator(selector).click(options);
  }

  static async open(browser: Browser, server: TestServer, address: Address = 'user'): Promise<PageDriver> {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    page.setDefaultTimeout(LIMIT_MS);
    await page.evaluateOnNewDocument(
      `document.addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI));`,
    );
    const driver = new PageDriver(context, page, server.hostkeep.url(address));
    await driver.show(1280, 'light');
    return driver;
  }

  /** Opens an empty page with a session of the account, which costs less than a login. */
  static async entered(browser: Browser, server: TestServer, address: Address, username: string): Promise<PageDriver> {
    const driver = await PageDriver.open(browser, server, address);
    const account = await server.hostkeep.core.accounts.get(username);
    await driver.#context.setCookie({
      name: `hostkeep-${address}`,
      value: server.hostkeep.core.sessions.sealCookie(await server.token(account)),
      domain: '127.0.0.1',
      path: '/',
      httpOnly: true,
      sameSite: 'Strict',
    });
    return driver;
  }

  /** Opens the home with a session of a new account. */
  static async customer(
    browser: Browser,
    server: TestServer,
    username: string,
    plan = 'developer',
  ): Promise<PageDriver> {
    await server.account(username, plan);
    const driver = await PageDriver.entered(browser, server, 'user', username);
    await driver.goto('/');
    await driver.page.waitForSelector('.shell');
    return driver;
  }

  /** What is waited for in vain may be told from what the page shows instead. */
  #explainFailuresOf(name: 'waitForFunction' | 'waitForSelector'): void {
    const wait = this.page[name].bind(this.page) as (...given: unknown[]) => Promise<unknown>;
    const explained = async (what: unknown, options?: object, ...given: unknown[]): Promise<unknown> => {
      try {
        const found = await wait(what, { polling: POLL_MS, ...options }, ...given);
        countAssertion();
        return found;
      } catch (cause) {
        const shown = await this.page.evaluate(
          `location.pathname + ': ' + [...document.querySelectorAll('dialog[open], body')].at(-1).innerText`,
        );
        const told = [
          `waited for ${[what, ...given].map(String).join(' ')}`,
          ...this.complaints,
          String(shown).slice(0, 2000),
        ];
        throw new Error(told.join('\n'), { cause });
      }
    };
    Object.assign(this.page, { [name]: explained });
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
    await this.page.waitForFunction(`document.querySelector('.skeleton, .spin') === null`, { timeout: LIMIT_MS });
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
      { timeout: LIMIT_MS },
      text,
    );
  }

  /** Presses the button or opens the link of this name. */
  async press(name: string): Promise<void> {
    await this.page.waitForSelector(`named/${name}`);
    await this.page.click(`named/${name}`);
  }

  /** Types a text in place of what a field or an editor has. */
  async replace(field: string, text: string): Promise<void> {
    await this.page.click(field);
    await this.page.keyboard.down('Control');
    await this.page.keyboard.press('a');
    await this.page.keyboard.up('Control');
    await this.page.keyboard.type(text);
  }

  /** Chooses an option as soon as the list has it. */
  async choose(list: string, value: string): Promise<void> {
    // By the property: an option whose text is its value needs no attribute.
    await this.page.waitForFunction(
      `[...document.querySelectorAll(${JSON.stringify(`${list} option`)})].some((each) => each.value === ${JSON.stringify(value)})`,
    );
    await this.page.select(list, value);
  }

  /** Resolves with what axe-core finds wrong, one line for each rule; by all rules, or by those that are named. */
  async violations(rules?: readonly string[]): Promise<string[]> {
    if ((await this.page.evaluate('typeof axe')) === 'undefined') await this.page.evaluate(AXE);
    const runOnly = rules === undefined ? { type: 'tag', values: TAGS } : { type: 'rule', values: rules };
    const { violations } = (await this.page.evaluate(
      `axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ['violations'], selectors: false })})`,
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

  /** Resolves with the texts of table cells that run into the next one. */
  spilled(): Promise<string[]> {
    return this.page.evaluate(
      `[...document.querySelectorAll('td, th')].filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent)`,
    ) as Promise<string[]>;
  }

  /** Resolves with the texts of what touches the card or note above it, or scrolls by a pixel or two, which was meant to fit. */
  crowded(): Promise<string[]> {
    return this.page.evaluate(`[...document.querySelectorAll('main *')].filter((each) => {
      const { previousElementSibling: above, scrollHeight, clientHeight } = each;
      const touches = each.matches('.card, .notice-bar + *') && above?.getBoundingClientRect().bottom === each.getBoundingClientRect().top;
      const slips = scrollHeight > clientHeight && scrollHeight < clientHeight + 4 && /auto|scroll/.test(getComputedStyle(each).overflowY);
      return touches || slips;
    }).map((each) => each.textContent.slice(0, 80))`) as Promise<string[]>;
  }

  /** Fails if the browser complained about something else than what was expected; forgets the complaints. */
  assertContent(expected: readonly RegExp[] = [], where = ''): void {
    const all = [PASSING, ...expected];
    assertNone(this.complaints.splice(0), (line) => !all.some((pattern) => pattern.test(line)), where);
  }

  /** Closes it, after the browser complained about nothing but what was expected. */
  async finish(expected: readonly RegExp[] = []): Promise<void> {
    this.assertContent(expected);
    await this.close();
  }

  close(): Promise<void> {
    return this.#context.close();
  }
}
