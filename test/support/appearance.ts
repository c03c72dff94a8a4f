import * as assert from 'uvu/assert';
import type { RequestOptions, TestServer } from './hostkeep.ts';
import type { PageDriver, Theme } from './page-driver.ts';
import { until } from './until.ts';

const WIDTHS = [320, 768, 1280];
/** The dark theme changes colours and nothing else; what is there is judged in the light one. */
const RULES: Readonly<Record<Theme, readonly string[] | undefined>> = {
  light: undefined,
  dark: ['color-contrast', 'link-in-text-block'],
};

/** A dialog, or the menu of a button. */
const OPEN = 'dialog[open], button[aria-expanded=true]';

/** Waits until a server has what it answers 503 to at first on a busy machine, so that the pages show it. */
export async function answers(server: TestServer, paths: readonly string[], options: RequestOptions): Promise<void> {
  for (const path of paths)
    await until(`an answer of ${path}`, async () => (await server.ask(path, options)).status === 200);
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
      for (const name of open) {
        await driver.press(name);
        await driver.page.waitForSelector(OPEN);
        assert.equal(await driver.violations(RULES[theme]), [], `${where}, ${name}`);
        await driver.page.keyboard.press('Escape');
        await driver.page.waitForSelector(OPEN, { hidden: true });
      }
    }
  driver.assertContent([], path);
}
