/** Tests the page of the largest folders in a real browser: a map for the eye, and a table for everybody. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { PageDriver } from '../../../support/page-driver.ts';

const test = browserSuite('quota page', 'to see the largest folders in');
const folder = temporaryFolder();
/** While it is there, nothing is measured. */
const gate = join(folder, 'gate');
let server: TestServer;
test.before(async () => {
  const du = join(folder, 'du');
  writeFileSync(du, `#!/bin/sh\nwhile [ -e '${gate}' ]; do sleep 0.1; done\nexec du "$@"\n`, { mode: 0o755 });
  const quota = { mounts: ['/proc'], repquota: 'false', du };
  server = await TestServer.start({ config: { files_root: join(folder, '{username}'), quota } });
});

function made(path: string, bytes: number, files = 1): void {
  mkdirSync(join(folder, path), { recursive: true });
  for (let i = 0; i < files; i += 1) writeFileSync(join(folder, path, `file-${i}`), Buffer.alloc(bytes, 1));
}

test('the largest folders are a map and a table, and lead deeper', async (browser) => {
  made('ada/photos/summer', 4 << 20);
  made('ada/photos/winter', 1 << 20);
  made('ada/mail', 1 << 20);
  made('ada/cache', 0, 300);
  made('ada/<img onerror=alert(1)>', 200_000);
  const driver = await PageDriver.customer(browser, server, 'ada');
  const { page } = driver;
  const names = () =>
    page.$$eval('tbody td:first-child', (cells) => cells.map(({ textContent }) => String(textContent)));
  const tiles = () =>
    page.$$eval('.treemap > *', (all) =>
      all.map((tile) => {
        const { left, top, width, height } = tile.getBoundingClientRect();
        return { title: tile.getAttribute('title') ?? '', left, top, width, height };
      }),
    );
  await driver.goto('/home');
  await driver.press('See the largest folders');
  await page.waitForSelector('.treemap');
  assert.equal((await names()).slice(0, 2), ['photos', 'mail']);
  const [photos, mail] = await tiles();
  assert.match(photos?.title ?? '', /^photos: 5/);
  const area = (tile: typeof photos) => (tile?.width ?? 0) * (tile?.height ?? 0);
  assert.ok(Math.abs(area(photos) / area(mail) - 5) < 0.5, 'a tile is as large as its folder');
  for (const width of [1280, 320])
    for (const theme of ['light', 'dark'] as const) {
      await driver.show(width, theme);
      assert.equal(await driver.violations(), [], `${width} ${theme}`);
      assert.not(await driver.overflows());
    }
  await driver.show(1280, 'light');
  await page.click('.choices button:last-child');
  await page.waitForFunction(`document.querySelector('tbody td')?.textContent === 'cache'`);
  await (await page.waitForSelector('tbody a'))?.focus();
  await page.keyboard.press('Enter');
  await page.waitForSelector('.crumbs [aria-current]::-p-text(cache)');
  await page.goBack();
  await page.waitForSelector('tbody ::-p-text(photos)');
  await page.click('.choices button:first-child');
  await page.waitForSelector('th[aria-sort] ::-p-text(Disk)');
  await page.click('.treemap a[title^=photos]');
  await page.waitForSelector('tbody ::-p-text(summer)');
  assert.equal((await names()).slice(0, 2), ['summer', 'winter']);
  const address = page.url();
  await driver.goto('/home');
  await page.goto(address);
  await page.waitForSelector('tbody ::-p-text(winter)');
  await driver.press('Open summer in the file manager');
  await page.waitForSelector('tbody ::-p-text(file-0)');
  await driver.finish();
});

test('figures of before are shown as such until there are new ones', async (browser) => {
  made('bea/photos', 1 << 20);
  const driver = await PageDriver.customer(browser, server, 'bea');
  const { core } = server.hostkeep;
  const { id } = await core.accounts.get('bea');
  const measured = { total: { bytes: 5_000_000, inodes: 7 }, folders: [{ name: 'old', bytes: 4_000_000, inodes: 6 }] };
  const sql = 'insert into quota_largest values (?, ?, ?, ?)';
  await core.local.write((tx) => tx.run(sql, id, '', JSON.stringify(measured), Date.now() - 3_600_000));
  writeFileSync(gate, '');
  await driver.goto('/home/files/usage');
  await driver.says('Measured: 1 hour ago');
  await driver.page.waitForSelector('tbody ::-p-text(old)');
  rmSync(gate);
  await driver.page.waitForSelector('tbody ::-p-text(photos)');
  assert.is(await driver.page.$('::-p-text(Measured:)'), null);
  await driver.finish();
});
