import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import * as assert from '../../support/assert.ts';
import thumbnails from '../../../plugins/thumbnails/index.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('thumbnails');
let server: TestServer;
let [root, token] = ['', ''];
test.before(async () => {
  server = await TestServer.start({ plugins: [thumbnails] });
  const { account, token: own } = await server.user('ann');
  [root, token] = [account.filesRoot, own];
  mkdirSync(root, { recursive: true });
});

const here = (name: string) => join(root, name);
const get = (path: string, headers: Record<string, string> = {}, by = token) =>
  fetch(`${server.hostkeep.url('user')}/api/thumbnails?path=${encodeURIComponent(path)}`, {
    headers: { authorization: `Bearer ${by}`, ...headers },
  });
const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#2a7' } });

/** Returns a PNG whose head claims that it is this large. */
function claiming(png: Buffer, pixels: number): Buffer {
  const claimed = Buffer.from(png);
  claimed.writeUInt32BE(pixels, 16);
  claimed.writeUInt32BE(pixels, 20);
  return claimed;
}

test('what is no picture, or hostile, is refused, and so is what is not there', async () => {
  const png = await picture(64, 64).png().toBuffer();
  const files = {
    'text.png': 'no picture',
    'empty.png': '',
    'drawing.png': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
    'huge.png': claiming(png, 1 << 20),
    'torn.jpg': (await picture(900, 900).jpeg().toBuffer()).subarray(0, 400),
    'tiff.png': await picture(9, 9).tiff().toBuffer(),
    'large.png': '',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(here(name), content);
  truncateSync(here('large.png'), (64 << 20) + 1);
  for (const name of Object.keys(files)) {
    const reply = await get(name);
    const { error } = (await reply.json()) as { error: string };
    assert.equal([name, reply.status, error], [name, 422, 'picture_unreadable']);
  }
  mkdirSync(here('folder.png'));
  writeFileSync(here('real.png'), png);
  symlinkSync('real.png', here('link.png'));
  for (const name of ['folder.png', 'link.png', 'nothing.png', 'no/folder.png'])
    assert.is((await get(name)).status, 404, name);
  for (const path of ['../bob/x.png', '']) assert.is((await get(path)).status, 400, path);
  const { token: bob } = await server.user('bob');
  assert.is((await get('real.png', {}, bob)).status, 404, 'a file of another account');
});

test('a picture is made small, and is asked for again only once it has changed', async () => {
  writeFileSync(here('site.jpg'), await picture(2000, 1000).jpeg().toBuffer());
  const reply = await get('/var/www/html/site.jpg');
  assert.equal([reply.status, reply.headers.get('content-type')], [200, 'image/webp']);
  assert.is(reply.headers.get('cache-control'), 'private, no-cache');
  const { format, width, height } = await sharp(Buffer.from(await reply.arrayBuffer())).metadata();
  assert.equal([format, width, height], ['webp', 512, 256]);
  const etag = reply.headers.get('etag') ?? '';
  const again = await get('site.jpg', { 'if-none-match': etag });
  assert.equal([again.status, (await again.arrayBuffer()).byteLength, again.headers.get('etag')], [304, 0, etag]);
  writeFileSync(here('site.jpg'), await picture(20, 10).jpeg().toBuffer());
  const changed = await get('site.jpg', { 'if-none-match': etag });
  assert.is(changed.status, 200);
  assert.is((await sharp(Buffer.from(await changed.arrayBuffer())).metadata()).width, 20, 'a small one stays so');
  for (const format of ['png', 'webp', 'gif', 'avif'] as const) {
    writeFileSync(here(`other.${format}`), await picture(600, 30)[format]().toBuffer());
    const { status } = await get(`other.${format}`);
    assert.equal([format, status], [format, 200]);
  }
  assert.ok(readFileSync(here('other.png')).length > 0, 'the original stays');
});
