/** Tests in a real browser that uploads of the files page are paused, go on, and outlive the connection and the page. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { until } from '../../../support/until.ts';

await needs('files');
const test = browserSuite('uploads page', 'to upload in');
const MIB = 2 ** 20;
const CONTENT = Buffer.from(Array.from({ length: 40 * MIB }, (_, i) => (i * 13) % 249));
const folder = temporaryFolder();
const film = join(folder, 'film.bin');
const here = (path: string) => join(folder, 'roots', path);
let server: TestServer;
test.before(async () => {
  writeFileSync(film, CONTENT);
  server = await TestServer.start({ config: { files_root: join(folder, 'roots/{username}') } });
});

/** Opens the page of a new customer, whose uploads take their time. */
async function opened(browser: Browser, username: string) {
  mkdirSync(here(username), { recursive: true });
  const driver = await PageDriver.customer(browser, server, username);
  await driver.goto('/home/files');
  await driver.says('This folder is empty');
  const session = await driver.page.createCDPSession();
  const network = (offline: boolean, uploadThroughput: number) =>
    session.send('Network.emulateNetworkConditions', { offline, latency: 0, downloadThroughput: -1, uploadThroughput });
  await network(false, 4 * MIB);
  return { driver, network };
}

async function choose(driver: PageDriver): Promise<void> {
  const [chooser] = await Promise.all([driver.page.waitForFileChooser(), driver.press('Upload files')]);
  await chooser.accept([film]);
}

/** The sizes of what has arrived and is not complete. */
const arrived = (username: string): number[] => {
  const own = here(`${username}/.hostkeep/uploads`);
  return existsSync(own) ? readdirSync(own).map((name) => statSync(join(own, name)).size) : [];
};
const begun = (username: string) => until('some of it is there', () => (arrived(username)[0] ?? 0) > MIB);
const isThere = (username: string) => readFileSync(here(`${username}/film.bin`)).equals(CONTENT);

test('an upload is paused and resumed, and canceled without a rest', async (browser) => {
  const { driver, network } = await opened(browser, 'anna');
  await choose(driver);
  await begun('anna');
  await driver.press('Pause film.bin');
  await driver.page.waitForSelector('named/Resume film.bin');
  await driver.press('Resume film.bin');
  await network(false, -1);
  await driver.says('1 file was uploaded');
  assert.ok(isThere('anna'));
  await network(false, 4 * MIB);
  await choose(driver);
  await driver.says('1 file exists already');
  await driver.press('Replace it');
  await begun('anna');
  await driver.press('Pause film.bin');
  await driver.press('Cancel film.bin');
  await until('no rest is left', () => arrived('anna').length === 0);
  await driver.finish([/status of 4(09|23)/]);
});

test('an upload goes on once the connection is there again', async (browser) => {
  const { driver, network } = await opened(browser, 'bert');
  await choose(driver);
  await begun('bert');
  await network(true, 0);
  await until('the server knows', async () => {
    const [row] = await server.hostkeep.core.local.all<{ writer: string }>(
      "select writer from uploads where state = 'open'",
    );
    return row?.writer === '';
  });
  await network(false, -1);
  await driver.says('1 file was uploaded');
  assert.ok(isThere('bert'));
  await driver.finish([/ERR_INTERNET_DISCONNECTED/, /status of 4(09|23)/]);
});

test('an upload outlives its page, which says how it goes on', async (browser) => {
  const { driver, network } = await opened(browser, 'cleo');
  await choose(driver);
  await begun('cleo');
  driver.page.on('dialog', (dialog) => void dialog.accept());
  await driver.goto('/home/files');
  await driver.says('Uploads that are not complete');
  const [before = 0] = arrived('cleo');
  await network(false, -1);
  await choose(driver);
  await driver.says('1 file was uploaded');
  assert.ok(before > MIB && isThere('cleo'));
  const rows = await server.hostkeep.core.local.all(
    "select id from uploads where path like '%film.bin' and account_id = ?",
    (await server.hostkeep.core.accounts.get('cleo')).id,
  );
  assert.is(rows.length, 1, 'it went on in place of a second one');
  await driver.finish([/status of 4(09|23)/]);
});

test('what is not complete is discarded', async (browser) => {
  const { driver } = await opened(browser, 'dora');
  await choose(driver);
  await begun('dora');
  driver.page.on('dialog', (dialog) => void dialog.accept());
  await driver.goto('/home/files');
  await driver.press('Discard /var/www/html/film.bin');
  await driver.says('What had arrived of /var/www/html/film.bin is removed');
  assert.equal(arrived('dora'), []);
  await driver.finish([/status of 4(09|23)/]);
});
