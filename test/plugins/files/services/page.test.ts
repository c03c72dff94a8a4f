/**
 * Tests the file manager in a real browser: what a customer does with files, and that nothing of it is lost.
 *
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, KeyInput } from 'puppeteer-core';
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { reportSkipped } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

const test = browserSuite('files page', 'to manage files in');
const folder = temporaryFolder();
const [roots, own, saved] = ['roots', 'own', 'saved'].map((name) => join(folder, name)) as [string, string, string];
const here = (path: string) => join(roots, path);
let server: TestServer;
test.before(async () => {
  for (const each of [own, saved]) mkdirSync(each, { recursive: true });
  server = await TestServer.start({ config: { files_root: join(roots, '{username}') } });
});

/** Opens the page of a new customer, who has these files. */
async function opened(of: Browser, username: string, files: Readonly<Record<string, string>> = {}) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(here(username), path, '..'), { recursive: true });
    writeFileSync(join(here(username), path), text);
  }
  const driver = await PageDriver.customer(of, server, username);
  await driver.goto('/home/files');
  return driver;
}

/** Chooses files of this machine, as in the window of the browser. */
async function choose(driver: PageDriver, button: string, ...paths: string[]): Promise<void> {
  const [chooser] = await Promise.all([driver.page.waitForFileChooser(), driver.press(button)]);
  await chooser.accept(paths);
}

/** Makes a file to upload. */
function made(name: string, text: string | Buffer): string {
  writeFileSync(join(own, name), text);
  return join(own, name);
}

/** Finds what the editor holds, under its shadow root. */
const inEditor = (selector: string) => `dialog[open] .editor >>> ${selector}`;
const shownLines = (driver: PageDriver) =>
  driver.page.$$eval(inEditor('.cm-line'), (lines) => lines.map(({ textContent }) => String(textContent)));
const replaced = (driver: PageDriver, text: string, field = 'dialog[open] .input') => driver.replace(field, text);
const closed = (driver: PageDriver) => driver.page.waitForSelector('dialog[open]', { hidden: true });

test('files are uploaded, edited, renamed and downloaded', async (browser) => {
  const driver = await opened(browser, 'anna');
  const { page } = driver;
  await driver.says('This folder is empty');
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251));
  await choose(driver, 'Upload files', made('note.txt', 'one\r\ntwo\r\n'), made('data.bin', bytes));
  await driver.says('2 files were uploaded');
  await driver.says('293 KiB');
  assert.ok(readFileSync(here('anna/data.bin')).equals(bytes));

  await driver.press('note.txt');
  await page.waitForSelector(inEditor('.cm-content'));
  await replaced(driver, 'uno\ndue\n', inEditor('.cm-content'));
  await page.keyboard.press('Escape'); // must not lose what was typed
  await driver.press('Save');
  await driver.says('note.txt was saved');
  assert.is(readFileSync(here('anna/note.txt'), 'utf8'), 'uno\r\ndue\r\n');
  await driver.press('Cancel');
  await closed(driver);

  await driver.press('Rename note.txt');
  await replaced(driver, 'letter.txt');
  await page.keyboard.press('Enter');
  await driver.page.waitForSelector('tbody ::-p-text(letter.txt)');
  assert.equal(readdirSync(here('anna')).toSorted(), ['.hostkeep', 'data.bin', 'letter.txt']);

  const session = await page.createCDPSession();
  await session.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: saved });
  await driver.press('Download data.bin');
  await until('it is saved', () => existsSync(join(saved, 'data.bin')));
  await eventually('whole', () => readFileSync(join(saved, 'data.bin')).equals(bytes), Boolean);
  await driver.finish();
});

test('a folder is copied, which is said when it is done, and seen again later', async (browser) => {
  const driver = await opened(browser, 'cora', { 'site/index.html': 'home', 'other/x': '' });
  const copySite = async () => {
    await driver.press('Details of site');
    await driver.press('Copy');
    await driver.page.waitForSelector('dialog[open] ::-p-text(other)'); // what comes late would move the button
    await driver.press('Copy here');
  };
  await copySite();
  await driver.says('Copying to Copy of site: done');
  await driver.page.waitForSelector('tbody ::-p-text(Copy of site)');
  assert.is(readFileSync(here('cora/Copy of site/index.html'), 'utf8'), 'home');
  await driver.goto('/home/files');
  await driver.says('Copying to Copy of site');
  await copySite();
  await driver.says('something of this name is there now');
  await driver.finish();
});

test('work that has ended before the page hears of it is told, too', async (browser) => {
  const driver = await opened(browser, 'cleopatra', { 'site/index.html': 'home' });
  const { page } = driver;
  page.on('request', (request) => {
    if (request.url().includes('/api/files/tasks-stream')) void request.abort();
    else void request.continue();
  });
  await page.setRequestInterception(true);
  await driver.goto('/home/files');
  const token = await server.token(await server.hostkeep.core.accounts.get('cleopatra'));
  const body = { from: 'site', to: 'site again' };
  const { body: task } = await server.ask('/api/files/copy', { method: 'POST', token, body });
  const path = `/api/files/tasks/${String(task['id'])}`;
  await until('it is done', async () => (await server.ask(path, { token })).body['state'] === 'done');
  await driver.says('Copying to site again: done');
  await page.waitForSelector('tbody ::-p-text(site again)');
  await driver.finish([/ERR_FAILED/]);
});

if (!existsSync('/usr/bin/bsdtar')) reportSkipped('no bsdtar; install with apt-get install -y libarchive-tools');
else
  test('folders are packed, unpacked and downloaded, with the keyboard alone', async (browser) => {
    const driver = await opened(browser, 'dora', { 'site/index.html': 'home', 'note.txt': 'note' });
    const { page } = driver;
    await driver.press('Details of site');
    await driver.press('Pack');
    await page.waitForSelector('dialog[open] select');
    await page.keyboard.press('Enter');
    await driver.says('Packing site.zip: done');
    await page.waitForSelector('tbody ::-p-text(site.zip)');
    await driver.press('Details of site.zip');
    await driver.press('Unpack');
    await replaced(driver, 'again');
    await page.keyboard.press('Enter');
    await driver.says('Unpacking into again: done');
    assert.is(readFileSync(here('dora/again/site/index.html'), 'utf8'), 'home');
    const session = await page.createCDPSession();
    await session.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: saved });
    await driver.press('Download site');
    await eventually(
      'it is saved',
      () => readdirSync(saved),
      (names) => names.includes('site.zip'),
    );
    assert.is(readFileSync(join(saved, 'site.zip')).subarray(0, 2).toString(), 'PK');
    await driver.finish();
  });

test('what exists is replaced only when asked, and what failed is said', async (browser) => {
  const driver = await opened(browser, 'ben', { 'page.html': 'old' });
  await driver.page.waitForSelector('tbody ::-p-text(page.html)');
  await choose(driver, 'Upload files', made('page.html', 'new'), made('x'.repeat(200), ''), made('other.html', 'x'));
  await driver.says('1 file exists already');
  assert.is(readFileSync(here('ben/page.html'), 'utf8'), 'old');
  await driver.press('Replace it');
  await until('it is replaced', () => readFileSync(here('ben/page.html'), 'utf8') === 'new');
  await driver.finish([/status of 409/]);
});

test('a text that somebody else changed is not overwritten, and not lost', async (browser) => {
  const driver = await opened(browser, 'cleo', { 'site/index.html': 'first' });
  await driver.press('site');
  await driver.press('index.html');
  await driver.page.waitForSelector(inEditor('.cm-content'));
  await replaced(driver, 'mine', inEditor('.cm-content'));
  writeFileSync(here('cleo/site/index.html'), 'theirs');
  await driver.press('Save');
  await driver.says('Somebody else has changed this file');
  assert.equal(await shownLines(driver), ['mine']);
  assert.is(readFileSync(here('cleo/site/index.html'), 'utf8'), 'theirs');
  await driver.press('Discard changes');
  await closed(driver);
  await driver.finish([/status of 412/]);
});

const PHP = "<?php\n// note\nfunction one() {\n\treturn 'one';\n}\n";

test('code has colours, and is searched, changed, saved and left by keyboard alone', async (browser) => {
  const driver = await opened(browser, 'hugo', { 'index.php': PHP });
  const { page } = driver;
  const press = async (...keys: KeyInput[]) => {
    for (const key of keys) await page.keyboard.down(key);
    for (const key of keys.toReversed()) await page.keyboard.up(key);
  };
  await driver.press('index.php');
  await page.waitForSelector(inEditor('.cm-content[aria-label="Content of index.php"]'));
  const readColours = async () => {
    const spans = await page.$$eval(inEditor('.cm-line span'), (found) => {
      const { getComputedStyle } = globalThis as unknown as { getComputedStyle(of: unknown): { color: string } };
      return found.map((span) => [String(span.textContent), getComputedStyle(span).color] as const);
    });
    return ['// note', 'function', "'one'"].map((part) => new Map(spans).get(part));
  };
  const isColoured = (colours: unknown[]) => new Set([...colours, undefined]).size === 4;
  await eventually('colours, once the text is parsed', readColours, isColoured);

  await press('Control', 'f');
  await page.waitForSelector(inEditor('input[name=search]:focus'));
  await page.keyboard.type('one');
  for (const theme of ['dark', 'light'] as const) {
    await driver.show(1280, theme);
    assert.equal(await driver.violations(), [], theme);
  }
  await press('Tab'); // "Next"
  await page.focus(inEditor('input[name=replace]'));
  await page.keyboard.type('two');
  await page.focus(inEditor('button[name=replaceAll]'));
  await press('Enter');
  await press('Escape');
  await page.waitForSelector(inEditor('.cm-search'), { hidden: true });
  assert.equal(await shownLines(driver), ['<?php', '// note', 'function two() {', "\treturn 'two';", '}', '']);

  await press('Control', 'End');
  await press('Tab');
  assert.is((await shownLines(driver)).at(-1), '\t', 'the key indents as the text does');
  await press('Control', 'z');
  await press('Control', 's');
  await driver.says('index.php was saved');
  assert.is(readFileSync(here('hugo/index.php'), 'utf8'), PHP.replaceAll('one', 'two'));
  await press('Escape');
  await press('Tab');
  await page.waitForSelector('dialog[open] button:focus');
  await press('Shift', 'Tab');
  await page.waitForSelector(inEditor('.cm-content:focus'));
  await press('Escape');
  await press('Escape');
  await closed(driver);
  await driver.finish();
});

test('bytes that are no text are refused, and each line keeps its own ending', async (browser) => {
  const driver = await opened(browser, 'ines', { 'mixed.txt': 'a\r\nb\nc\rd\r\n', 'bytes.txt': 'a\0b' });
  await driver.press('bytes.txt');
  await driver.says('This is not a text file');
  await driver.press('Cancel');
  await closed(driver);
  await driver.press('mixed.txt');
  await driver.page.waitForSelector(inEditor('.cm-content:focus'));
  await driver.page.keyboard.type('x');
  await driver.press('Save');
  await driver.says('mixed.txt was saved');
  assert.is(readFileSync(here('ines/mixed.txt'), 'utf8'), 'xa\r\nb\nc\rd\r\n');
  await driver.finish();
});

test('folders are made, and files moved there, by keyboard alone', async (browser) => {
  const driver = await opened(browser, 'dan', { 'a.txt': 'a', 'b.txt': 'b' });
  const { page } = driver;
  await (await page.waitForSelector('named/New folder'))?.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('deep');
  await page.keyboard.press('Enter');
  await (await page.waitForSelector('[data-entry] ::-p-text(deep), [data-entry]::-p-text(deep)'))?.focus();
  assert.ok(statSync(here('dan/deep')).isDirectory());
  await (await page.waitForSelector('[aria-label="Select a.txt"]'))?.focus();
  await page.keyboard.press('Space');
  await driver.says('1 selected');
  await (await page.waitForSelector('named/Move'))?.focus();
  await page.keyboard.press('Enter');
  await (await page.waitForSelector('.picker button'))?.focus();
  await page.keyboard.press('Enter');
  await driver.says('No folders in here');
  await (await page.waitForSelector('dialog .button.primary'))?.focus();
  await page.keyboard.press('Enter');
  await driver.says('Moved 1 entry to deep');
  assert.is(readFileSync(here('dan/deep/a.txt'), 'utf8'), 'a');
  await driver.finish();
});

test('permissions are set', async (browser) => {
  const driver = await opened(browser, 'eve', { 'run.sh': '#!' });
  await driver.press('Details of run.sh');
  await driver.press('Permissions');
  await replaced(driver, '750');
  await driver.press('Save');
  await driver.says('Permissions of run.sh are now 750');
  assert.is(statSync(here('eve/run.sh')).mode & 0o777, 0o750);
  await driver.finish();
});

test('a folder is dropped with all that is in it', async (browser) => {
  const driver = await opened(browser, 'finn');
  mkdirSync(join(own, 'photos/summer'), { recursive: true });
  mkdirSync(join(own, 'photos/empty'), { recursive: true });
  for (let i = 0; i < 12; i++) writeFileSync(join(own, `photos/summer/${i}.txt`), String(i));
  const session = await driver.page.createCDPSession();
  const data = { items: [], files: [join(own, 'photos')], dragOperationsMask: 1 };
  await driver.says('This folder is empty');
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 500, y: 400, data });
  await driver.says('12 files were uploaded');
  assert.is(readdirSync(here('finn/photos/summer')).length, 12);
  assert.ok(existsSync(here('finn/photos/empty')));
  await driver.finish();
});

test('an upload is canceled, and leaves nothing', async (browser) => {
  const driver = await opened(browser, 'gil');
  const session = await driver.page.createCDPSession();
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 100_000 };
  await session.send('Network.emulateNetworkConditions', slow);
  await choose(driver, 'Upload files', made('large.bin', Buffer.alloc(8 << 20)));
  const rests = () => (existsSync(here('gil/.hostkeep/uploads')) ? readdirSync(here('gil/.hostkeep/uploads')) : []);
  await until('it has begun', () => rests().length === 1);
  await driver.press('Cancel large.bin');
  await driver.page.waitForSelector('.transfer', { hidden: true });
  await until('no rest is left', () => rests().length === 0);
  assert.equal(readdirSync(here('gil')), ['.hostkeep']);
  await driver.finish();
});
