import { addDemoContent } from './demo-content.ts';
import * as assert from './assert.ts';
import type { Browser } from 'puppeteer-core';
import type { Address } from '../../kernel/contract/route-spec.ts';
import { startChromium } from './chromium.ts';
import { TestServer } from './hostkeep.ts';
import { PageDriver, type Theme } from './page-driver.ts';
import { pagesOn, startSurroundings } from './plugin-rows.ts';
import { testSuite } from './suite.ts';
import { until } from './until.ts';

const WIDTHS = [320, 768, 1280];
/** The dark theme changes colours and nothing else; what is there is judged in the light one. */
const RULES: Readonly<Record<Theme, readonly string[] | undefined>> = {
  light: undefined,
  dark: ['color-contrast', 'link-in-text-block'],
};

/** A dialog, or the menu of a button; the groups of the navigation stay as they are. */
const OPEN = 'dialog[open], :is(.bar, main) button[aria-expanded=true]';

/** How far the dialog itself scrolls, and not its content. */
const OUTER_SCROLL = `(({ scrollHeight = 0, clientHeight = 0 }) => scrollHeight - clientHeight)(document.querySelector('dialog[open]') ?? {})`;

/** Adds tests that open every page of an address in all themes and widths. */
export async function testAppearance(address: Address): Promise<void> {
  const { pages, measured } = await pagesOn(address);
  const test = testSuite(`pages: appearance on ${address}`); // after the last await, as it runs once the file is loaded
  let surroundings: Awaited<ReturnType<typeof startSurroundings>>;
  let server: TestServer;
  let browser: Browser | undefined;
  /** One for all pages, so that the browser keeps what they share. */
  let driver: PageDriver | undefined;
  test.before(async () => {
    surroundings = await startSurroundings();
    server = await TestServer.start({ config: surroundings.config });
    const people = { demo: await server.account('demo'), other: await server.account('other', 'basic') };
    const operator = await server.account('operator', '', 'admin');
    await addDemoContent(server, people);
    browser = await startChromium('to look at the pages');
    const token = await server.token(address === 'user' ? people.demo : operator);
    // last, and the pages that ask for them are first: what nobody asks for is not measured for long
    for (const path of measured)
      await until(`an answer of ${path}`, async () => (await server.ask(path, { token, address })).status === 200);
  });
  test.after(async () => {
    await browser?.close();
    await server.close();
    await surroundings.close();
  });
  for (const [path, dialogs] of pages)
    test(path, async () => {
      if (browser === undefined) return;
      driver ??= await PageDriver.entered(browser, server, address, address === 'user' ? 'demo' : 'operator');
      await judge(driver, path, dialogs);
    });
  test('the login', async () => {
    if (browser === undefined) return;
    const login = await PageDriver.open(browser, server, address);
    await judge(login, '/');
    await login.close();
  });
}

/** Opens a page, and what it has as dialogs, in all themes and widths. */
export async function judge(driver: PageDriver, path: string, open: readonly string[] = []): Promise<void> {
  await driver.goto(path);
  for (const theme of ['light', 'dark'] as const)
    for (const width of WIDTHS) {
      await driver.show(width, theme);
      await driver.page.evaluate('scrollTo(0, 0)'); // what the bar covers there is not judged
      const where = `${path}, ${theme}, ${width} px`;
      assert.equal(await driver.violations(RULES[theme]), [], where);
      assert.not(await driver.overflows(), `${where}: nothing reaches beyond the window`);
      assert.equal(await driver.spilled(), [], `${where}: each cell holds what is in it`);
      assert.equal(await driver.crowded(), [], `${where}: cards keep their distance, and what fits does not scroll`);
      for (const name of open) {
        await driver.press(name);
        await driver.page.waitForSelector(OPEN);
        assert.equal(await driver.violations(RULES[theme]), [], `${where}, ${name}`);
        assert.is(await driver.page.evaluate(OUTER_SCROLL), 0, `${where}, ${name}: only what is in a dialog scrolls`);
        await driver.page.keyboard.press('Escape');
        await driver.page.waitForSelector(OPEN, { hidden: true });
      }
    }
  driver.assertContent([], path);
}

/** Fails for what axe-core finds in both themes where the page stands, and for what does not fit on a telephone. */
export async function judgeAsItStands(driver: PageDriver): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await driver.show(320, theme);
    assert.equal(await driver.violations(RULES[theme]), [], theme);
    assert.is(await driver.overflows(), false);
  }
  await driver.show(1280, 'light');
}
