import { existsSync } from 'node:fs';
import type { Browser, Page } from 'puppeteer-core';
import { atEnd } from './ending.ts';
import { reportSkipped, testSuite } from './suite.ts';
import { LIMIT_MS } from './until.ts';

/** Chromium without its windows, which shows pages for half the processor time. */
const SHELL = '/usr/lib/chromium/chromium-headless-shell';
const CHROMIUM = [SHELL, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));

interface Shown {
  readonly textContent: string;
  getAttribute(name: string): string | null;
  checkVisibility(options: object): boolean;
}

/**
 * Finds the buttons and links of a name that can be pressed, as `named/Save` or `.nav ::-p-named(Save)`. Runs in the page. It
 * reads the document: Chromium's tree for screen readers takes a sixth of a test's processor time, and a question to it was once
 * never answered.
 */
const NAMED = {
  queryAll(root: { querySelectorAll(selector: string): Iterable<Shown> }, name: string): Iterable<Shown> {
    const { document } = globalThis as unknown as { document: { querySelector(selector: string): unknown } };
    const within = document.querySelector(':modal') === null ? '' : ':modal '; // what lies below takes no clicks
    return [...root.querySelectorAll(`${within}button, ${within}a[href]`)].filter((each) => {
      const text = each.getAttribute('aria-label') ?? each.textContent;
      return text.replace(/\s+/g, ' ').trim() === name && each.checkVisibility({ visibilityProperty: true });
    });
  },
};

/** Returns the path of a browser that tests may start; `undefined` where none is installed. */
export const chromiumPath = (): string | undefined => CHROMIUM;

/**
 * Starts a browser that reaches loopback only, and is closed at the end of the test or suite; `undefined` where none is installed, which is an
 * error in CI. With `named`, it finds the names of example domains at loopback, too, and takes every certificate.
 */
export async function startChromium(purpose: string, { named = false } = {}): Promise<Browser | undefined> {
  if (CHROMIUM === undefined) {
    reportSkipped(`no chromium ${purpose}; install with apt-get install chromium`);
    return undefined;
  }
  const { default: puppeteer, Puppeteer } = await import('puppeteer-core');
  if (!Puppeteer.customQueryHandlerNames().includes('named')) Puppeteer.registerCustomQueryHandler('named', NAMED);
  const browser = await puppeteer.launch({
    executablePath: CHROMIUM,
    headless: CHROMIUM === SHELL ? 'shell' : true,
    args: [
      ...['--no-sandbox', '--disable-dev-shm-usage', '--proxy-server=127.0.0.1:9'],
      `--proxy-bypass-list=127.0.0.1,localhost,*.localhost${named ? ',*.example' : ''}`,
      ...(named ? ['--host-resolver-rules=MAP *.example 127.0.0.1', '--ignore-certificate-errors'] : []),
    ],
    pipe: true,
    timeout: LIMIT_MS,
  });
  atEnd(() => browser.close());
  return browser;
}

/** A suite whose tests are given a browser; where none is installed, none of them runs. */
export function browserSuite(name: string, purpose: string, options: Parameters<typeof startChromium>[1] = {}) {
  const suite = testSuite(name);
  let browser: Browser | undefined;
  suite.before(async () => void (browser = await startChromium(purpose, options)));
  const test = (title: string, run: (browser: Browser) => Promise<void>): void =>
    void suite(title, () => (browser === undefined ? undefined : run(browser)));
  return Object.assign(test, { before: suite.before, after: suite.after });
}

/** Drops files and folders of this machine on a page. */
export async function dropFiles(page: Page, files: readonly string[]): Promise<void> {
  const session = await page.createCDPSession();
  const data = { items: [], files: [...files], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 500, y: 400, data });
}
