import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import * as assert from '../support/assert.ts';
import { EtagReply } from '../../kernel/areas/etag-reply.ts';
import type { Reply } from '../../kernel/contract/reply.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('etag reply');
const LIST = Array.from({ length: 500 }, (_, i) => ({ name: `site-${i}.example`, docroot: `/var/www/html/site-${i}` }));
const headersOf = (reply: Reply) => new Headers(reply.headers.map(([name, value]): [string, string] => [name, value]));

test('a long answer is compressed once for each coding, and each has an ETag', async () => {
  const reply = EtagReply.json(LIST);
  for (const [accepted, coding, decode] of [
    ['gzip, br', 'br', brotliDecompressSync],
    ['gzip;q=0.5', 'gzip', gunzipSync],
  ] as const) {
    const coded = await reply.inCoding('', accepted);
    assert.equal(JSON.parse(String(decode(coded.body as Uint8Array))), LIST);
    const headers = headersOf(coded);
    assert.equal([headers.get('content-encoding'), headers.get('vary')], [coding, 'Accept-Encoding']);
    assert.is(reply.inCoding('', accepted), coded);
    const known = await reply.inCoding(headers.get('etag') ?? '', accepted);
    assert.equal([known.status, headersOf(known).get('etag')], [304, headers.get('etag')]);
    assert.is(reply.answer(headers.get('etag') ?? '').status, 304);
  }
  const whole = reply.answer('');
  assert.is(reply.inCoding('', ''), whole);
  assert.is(reply.inCoding('', 'br;q=0'), whole);
  assert.not.equal(headersOf(whole).get('etag'), headersOf(await reply.inCoding('', 'br')).get('etag'));
});

test('what is short, or comes while others are compressed, is sent as it is', async () => {
  const short = EtagReply.json([]);
  assert.is(short.inCoding('', 'br'), short.answer(''));
  const many = Array.from({ length: 8 }, () => EtagReply.json(LIST));
  const answers = many.map((each) => each.inCoding('', 'br'));
  assert.is(answers.filter((each) => !(each instanceof Promise)).length, many.length - 2);
  await Promise.all(answers);
  assert.ok(many.at(-1)?.inCoding('', 'br') instanceof Promise, 'the next one is compressed again');
});
