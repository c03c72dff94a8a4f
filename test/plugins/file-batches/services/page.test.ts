/** Tests in a real browser that the page of the files sends small ones together. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { PageDriver } from '../../../support/page-driver.ts';

const test = browserSuite('file batches: page', 'to upload files in');
const folder = temporaryFolder();
const [roots, own] = [join(folder, 'roots'), join(folder, 'own')];
let server: TestServer;
test.before(async () => {
  mkdirSync(own);
  server = await TestServer.start({ config: { files_root: join(roots, '{username}') } });
});

test('small files go together, and each is told by itself', async (browser) => {
  const root = join(roots, 'anna');
  mkdirSync(root, { recursive: true });
  for (const there of ['4.txt', '7.txt']) writeFileSync(join(root, there), 'before');
  mkdirSync(join(root, '9.txt'));
  const files = Array.from({ length: 120 }, (_, i) => join(own, `${i}.txt`));
  for (const [i, file] of files.entries()) writeFileSync(file, `of ${i}`);
  const large = join(own, 'large.bin');
  writeFileSync(large, Buffer.alloc(300_000, 7));
  const driver = await PageDriver.customer(browser, server, 'anna');
  await driver.goto('/home/files');
  const asked: string[] = [];
  driver.page.on('request', (request) => {
    if (/files\/(batch|content)/.test(request.url())) asked.push(new URL(request.url()).pathname);
  });
  const [chooser] = await Promise.all([driver.page.waitForFileChooser(), driver.press('Upload files')]);
  await chooser.accept([...files, large]);
  await driver.says('118 files were uploaded');
  assert.equal(asked.toSorted(), ['/api/files/batch', '/api/files/batch', '/api/files/content']);
  const text = (name: string) => readFileSync(join(root, name), 'utf8');
  assert.equal([text('3.txt'), text('4.txt'), text('7.txt'), text('119.txt')], ['of 3', 'before', 'before', 'of 119']);
  assert.ok(readFileSync(join(root, 'large.bin')).equals(readFileSync(large)));

  await driver.says('3 files exist already');
  await driver.press('Replace all 3');
  await driver.says('1 file exists already');
  assert.equal([text('4.txt'), text('7.txt'), readdirSync(join(root, '9.txt'))], ['of 4', 'of 7', []]);
  await driver.finish();
});
