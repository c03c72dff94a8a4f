import * as assert from '../../support/assert.ts';
import { accessLines, errorLines } from '../../../plugins/logs/follower/caddy-lines.ts';
import { parseLine } from '../../../plugins/logs/site-logs/line.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('caddy-lines');

const TS = 1_795_724_440.3408384;
const REQUEST = {
  ...{ remote_ip: '127.0.0.1', proto: 'HTTP/1.1', method: 'GET', host: 'shop.example', uri: '/a?b=c' },
  headers: { 'User-Agent': ['curl'], Referer: ['http://x.example/', 'second'] },
};
const entry = (members: object = {}, request: object = {}) =>
  `${JSON.stringify({ ts: TS, user_id: '', size: 153, status: 404, ...members, request: { ...REQUEST, ...request } })}\n`;
const parsed = (text: string) => accessLines(text).map(({ line }) => parseLine('access', line));

// threat forged-state: with Caddy, too, what a full disk has cut off of a site's line is not shown to another site
test('a line that was cut off is not taken together with that of another site', () => {
  const whole = entry();
  for (let length = 1; length < whole.length - 1; length++)
    assert.equal(accessLines(whole.slice(0, length) + entry({}, { host: 'bank.example' })), [], `${length} bytes`);
});

test('what is no entry of a request is left out', () => {
  for (const text of [
    '',
    '\n',
    'null\n',
    '[]\n',
    '1\n',
    '{}\n',
    '{"request":{}}\n',
    entry({ ts: null }),
    entry({ ts: 1e300 }),
  ])
    assert.equal([accessLines(text), errorLines(text)], [[], []], text);
  for (const text of [
    entry({ size: '1' }),
    entry({ status: null }),
    entry({}, { host: 1 }),
    entry({}, { remote_ip: null }),
  ])
    assert.equal(accessLines(text), [], text);
});

test('a request becomes a line of the combined format', () => {
  const [line] = accessLines(entry());
  assert.equal([line?.site, line?.at, line?.bytes], ['shop.example', 1_795_724_440_341, 153]);
  assert.match(
    line?.line ?? '',
    /^127\.0\.0\.1 - - \[\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\] "GET \/a\?b=c HTTP\/1\.1" 404 153 "http:\/\/x\.example\/" "curl"$/,
  );
  const at = '2026-11-26T20:20:40.000Z';
  const { text, ...read } = parseLine('access', line?.line ?? '');
  assert.equal(read, {
    ...{ at, ip: '127.0.0.1', method: 'GET', path: '/a?b=c', status: 404, bytes: 153 },
    ...{ referrer: 'http://x.example/', agent: 'curl', level: null },
  });
  assert.match(text, /curl/);
  assert.is(accessLines(entry({}, { host: 'SHOP.example:8080' }))[0]?.site, 'shop.example');
  assert.is(parsed(entry({}, { client_ip: '10.0.0.1' }))[0]?.ip, '10.0.0.1');
  assert.is(parsed(entry({ status: 0 }))[0]?.status, 499);
  assert.is(parsed(entry({ user_id: 'ann "b' }))[0]?.path, '/a?b=c');
  assert.equal(parsed(entry({}, { headers: {} }))[0]?.agent, null);
});

test('what a request took is known, but not of files, which slow visitors keep long', () => {
  const took = (members: object) => accessLines(entry(members)).map(({ tookMs }) => tookMs);
  assert.equal(took({}), [0]);
  for (const wrong of [null, '9', {}, [9]]) assert.equal(took({ duration: wrong }), [0]);
  assert.equal(took({ duration: 1.0014 }), [1001]);
  assert.equal(took({ duration: 1.5, resp_headers: { 'Content-Type': ['text/html'] } }), [1500]);
  assert.equal(took({ duration: 600, resp_headers: { 'Accept-Ranges': ['bytes'] } }), [0]);
});

test('what a visitor sends ends neither a value nor a line', () => {
  const hostile = `/"\\\n\r\u0000\u2028\ufffd ${Buffer.from('ü').toString('latin1')}`;
  const headers = { 'User-Agent': [hostile], Referer: [hostile] };
  const lines = accessLines(entry({}, { uri: hostile, headers }));
  assert.is(lines.length, 1);
  const shown = String.raw`/\x22\x5C\x0A\x0D\x00\xE2\x80\xA8\xEF\xBF\xBD \xC3\xBC`;
  const { agent, referrer, status } = parseLine('access', lines[0]?.line ?? '');
  assert.equal([agent, referrer, status], [shown, shown, 404]);
});

test('an error becomes a line of the format of nginx', () => {
  const read = (members: object) => parseLine('error', errorLines(entry(members))[0]?.line ?? '');
  const { text, level, ip, path } = read({ level: 'debug', msg: '{id=a1b2} dial tcp: refused' });
  assert.equal([level, ip, path], ['error', '127.0.0.1', '/a?b=c']);
  assert.match(
    text,
    /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[error\] dial tcp: refused, client: 127\.0\.0\.1, server: shop\.example, request: "GET /,
  );
  assert.match(
    read({ msg: 'error handling handler error', first_error: { msg: 'first' } }).text,
    /\[error\] first, client/,
  );
});
