/**
 * Measures, in a real browser, what a picture would show: where things stand, and that they line up.
 *
 */
import * as assert from '../support/assert.ts';
import { browserSuite } from '../support/chromium.ts';
import { addDemoContent } from '../support/demo-content.ts';
import { TestServer } from '../support/hostkeep.ts';
import { PageDriver } from '../support/page-driver.ts';

const test = browserSuite('pages: layout', 'to measure pages in');
let server: TestServer;
test.before(async () => {
  server = await TestServer.start();
  const people = { demo: await server.account('demo'), other: await server.account('other', 'basic') };
  await server.account('operator', '', 'admin');
  await addDemoContent(server, people);
});

interface Box {
  readonly top: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
}
const boxes = (driver: PageDriver, selector: string) =>
  driver.page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => {
      const { top, height, left, right } = each.getBoundingClientRect();
      return { top: Math.round(top), height: Math.round(height), left: Math.round(left), right: Math.round(right) };
    })`,
  ) as Promise<Box[]>;

test('cards of one row are equally high, and sites come before a recommendation', async (browser) => {
  const driver = await PageDriver.entered(browser, server, 'user', 'demo');
  await driver.goto('/home');
  await driver.page.waitForSelector('.site');
  for (const selector of ['.site', '.grid > div > .card']) {
    const all = await boxes(driver, selector);
    assert.ok(all.length > 2, selector);
    for (const { top, height } of all)
      assert.equal([...new Set(all.filter((each) => each.top === top).map((each) => each.height))], [height], selector);
  }
  const [[site], [banner]] = [await boxes(driver, '.site'), await boxes(driver, '.panel.warn')];
  assert.ok(site !== undefined && banner !== undefined && site.top < banner.top);
  await driver.finish([/status of 502/]); // nothing serves the sites of which pictures are taken
});

test('a date stands in one line beside long names', async (browser) => {
  const driver = await PageDriver.entered(browser, server, 'user', 'demo');
  await driver.show(768, 'light');
  await driver.goto('/home/domains');
  const dates = await boxes(driver, '.table td time');
  assert.ok(dates.length > 0 && dates.every(({ height }) => height < 30), JSON.stringify(dates));
  assert.not(await driver.overflows());
  await driver.finish();
});

test('on a phone names stand below each other, with their box, and buttons too', async (browser) => {
  const [home, console] = [
    await PageDriver.entered(browser, server, 'user', 'demo'),
    await PageDriver.entered(browser, server, 'admin', 'operator'),
  ];
  for (const [driver, path, selector, side, besides] of [
    [home, '/home/domains', '.table td:first-child a', 'left', undefined],
    [home, '/home/files', '.table td:nth-child(2) a', 'left', '.table td .choose'],
    [
      console,
      '/console/accounts/demo',
      '.content li.nowrap > .row > .button:last-child',
      'right',
      '.content li.nowrap .wrap',
    ],
  ] as const)
    for (const width of [390, 320]) {
      await driver.show(width, 'light');
      await driver.goto(path);
      const [all, others] = [await boxes(driver, selector), await boxes(driver, besides ?? selector)];
      assert.ok(all.length > 2, path);
      assert.equal([...new Set(all.map((box) => box[side]))], [all[0]?.[side]], `${path} at ${width}`);
      const isBeside = (box: Box) =>
        others.some(({ top, height }) => top < box.top + box.height && box.top < top + height);
      assert.ok(all.every(isBeside), `${path} at ${width}`);
      assert.not(await driver.overflows());
    }
  for (const driver of [home, console]) await driver.finish();
});

test('each tab has a heading of its own, which says no word twice', async (browser) => {
  const driver = await PageDriver.entered(browser, server, 'user', 'demo');
  await driver.goto('/home/account');
  const tabs = await driver.page.$$eval('.tabs a', (all) =>
    all.map((each) => [String(each.getAttribute('href')), String(each.textContent)] as const),
  );
  assert.ok(tabs.length > 2);
  for (const [link, name] of tabs) {
    await driver.goto(link);
    assert.is(await driver.text('h1'), `Account · ${name}`);
  }
  for (const [link, heading] of [
    ['/home/files', 'Files'],
    ['/home/files/trash', 'Files · Trash'],
  ] as const) {
    await driver.goto(link);
    assert.is(await driver.text('h1'), heading);
  }
  await driver.finish();
});

test('a token that reads everything takes one box', async (browser) => {
  const driver = await PageDriver.entered(browser, server, 'user', 'demo');
  await driver.goto('/home/account/tokens');
  await driver.press('Create API token');
  await driver.page.click('label ::-p-text(Read everything, change nothing)');
  const chosen = await driver.page.$$eval('dialog[open] .scopes label', (all) =>
    all
      .filter((each) => (each.querySelector('input') as unknown as { checked: boolean }).checked)
      .map((each) => String(each.textContent).split(' ')[0]),
  );
  assert.ok(chosen.length > 10);
  assert.equal([...new Set(chosen)], ['Read']);
  await driver.finish();
});

test('a box stands before the first line of a long text', async (browser) => {
  const driver = await PageDriver.entered(browser, server, 'user', 'demo');
  await driver.goto('/home/certificates');
  await driver.press('Change HTTPS of harbour-cafe.example');
  const [inputs, texts] = [
    await boxes(driver, 'dialog[open] label input'),
    await boxes(driver, 'dialog[open] label span'),
  ];
  assert.ok(inputs.length > 1);
  const lineHeight = Math.min(...texts.map(({ height }) => height));
  for (const [i, { top, height }] of inputs.entries()) {
    const first = texts[i]?.top ?? Infinity;
    assert.ok(top >= first && top + height <= first + lineHeight, JSON.stringify([inputs, texts]));
  }
  await driver.finish();
});
