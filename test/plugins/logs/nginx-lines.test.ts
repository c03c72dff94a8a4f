import * as assert from '../../support/assert.ts';
import { accessLines, errorLines } from '../../../plugins/logs/follower/nginx-lines.ts';
import { parseLine } from '../../../plugins/logs/site-logs/line.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('nginx-lines');

const combined = (request = 'GET / HTTP/1.1', agent = 'curl') =>
  `127.0.0.1 - - [24/Nov/2026:16:21:23 +0100] "${request}" 404 153 "-" "${agent}"`;
const access = (site: string, line = combined(), last = site) => `${site} 1795537283.250 308 ${line} ${last}\n`;
const error = (text: string, site = 'shop.example') =>
  `2026/11/24 16:21:23 [error] 1#1: *1 ${text}, client: 127.0.0.1, server: ${site}, request: "GET / HTTP/1.1", host: "${site}"\n`;

test('a line of an access log is that of the site whose name is at both ends', () => {
  assert.equal(accessLines(access('shop.example') + access('bank.example')), [
    { site: 'shop.example', at: 1_795_537_283_250, bytes: 308, tookMs: 0, line: combined() },
    { site: 'bank.example', at: 1_795_537_283_250, bytes: 308, tookMs: 0, line: combined() },
  ]);
  assert.equal(accessLines(access('')), [], 'a request that no site has taken');
  assert.equal(accessLines('\n \nshop.example\nshop.example 1 2\n'), []);
  const hostile = combined('GET /bank.example HTTP/1.1', String.raw`x\x22 bank.example`);
  assert.equal(accessLines(access('shop.example', hostile))[0]?.site, 'shop.example');
});

test('what a slow script took stands behind the bytes, and in no line of the site', () => {
  const slow = (sent: string) => accessLines(access('shop.example').replace(' 308 ', ` ${sent} `));
  for (const wrong of ['308/x', 'x/1.5', '308/-1', '-1/1.5', '308/1.5/2']) assert.equal(slow(wrong), [], wrong);
  const line = { site: 'shop.example', at: 1_795_537_283_250, bytes: 308, line: combined() };
  assert.equal(slow('308/1.001'), [{ ...line, tookMs: 1001 }]);
  assert.equal(slow('308/86400.000'), [{ ...line, tookMs: 86_400_000 }]);
});

// threat forged-state: what a full disk has cut off of a site's line is not shown to the site of the next line
test('a line that was cut off is not taken together with that of another site', () => {
  const whole = access('shop.example');
  for (let length = 0; length < whole.length; length++) {
    const lines = accessLines(whole.slice(0, length) + access('bank.example'));
    for (const { site, line } of lines) assert.equal([site, line], ['bank.example', combined()], `${length} bytes`);
  }
  const failed = error('open() "/srv/ann/secret" failed');
  for (let length = 1; length < failed.length; length++)
    for (const { line } of errorLines(failed.slice(0, length) + error('open() "/x" failed', 'bank.example')))
      assert.ok(length < 20 && !line.includes('secret'), `${length} bytes: ${line}`);
});

test('a line of an error log is that of the server that it names, once', () => {
  const [line] = errorLines(error('open() "/srv/ann/x" failed (2: No such file or directory)'));
  assert.is(line?.site, 'shop.example');
  assert.is(line?.at, new Date(2026, 10, 24, 16, 21, 23).getTime());
  assert.equal(errorLines('2026/11/24 16:21:23 [notice] 1#1: signal process started\n'), []);
  const twice = error('open() "/x, client: 1.1.1.1, server: bank.example, request: "GET / HTTP/1.1"" failed');
  assert.equal(errorLines(twice), []);
  const referrer = error('x').replace('\n', ', referrer: "a, server: bank.example, request: "\n');
  assert.equal(errorLines(referrer), []);
  assert.equal(
    errorLines(error('\x1b[2J\x07ä')).map((each) => each.line.includes(String.raw`\x1B[2J\x07\xE4`)),
    [true],
  );
});

test('lines are read into their parts, and what cannot be read is text', () => {
  assert.equal(parseLine('access', combined('GET /a?b=c HTTP/1.1')), {
    ...{ at: '2026-11-24T15:21:23.000Z', ip: '127.0.0.1', method: 'GET', path: '/a?b=c', status: 404, bytes: 153 },
    ...{ referrer: null, agent: 'curl', level: null, text: combined('GET /a?b=c HTTP/1.1') },
  });
  const user = combined().replace('- -', '- [01/Jan/2000:00:00:00 +0000] x');
  assert.is(parseLine('access', user).status, 404);
  assert.is(parseLine('access', combined(String.raw`\x16\x03\x01`)).method, null);
  const failed = errorLines(error('open() failed'))[0]?.line ?? '';
  const { level, ip, method, path } = parseLine('error', failed);
  assert.equal([level, ip, method, path], ['error', '127.0.0.1', 'GET', '/']);
  for (const kind of ['access', 'error'] as const)
    for (const text of ['', 'x', ' - [', combined().slice(0, 60), 'x'.repeat(60_000)])
      assert.is(parseLine(kind, text).text, text);
});
