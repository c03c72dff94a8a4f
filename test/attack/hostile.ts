import * as fc from 'fast-check';

/** Texts that have broken other programs: control characters, encodings, scripts, paths, names that JavaScript knows. */
const TEXTS = [
  '', ' ', '\0', 'a\0b', '\r\nSet-Cookie: a=b', 'a\nb', '\t', '\u007f', '\u0085', '\u2028', '\u202etxt.exe', 'e\u0301'.repeat(60), '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}', '\ud800', '\udc00\ud800', '\ufeff', '\uffff', '\u{10ffff}', 'ﷺ'.repeat(40), 'İ', 'ß.example', 'ｅxample.com',
  "' or 1=1 --", "a'); drop table accounts; --", "' union select password_hash from accounts --", '%', '_', '<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '$(id)', '`id`', '; id', '| id', '&& id', '--help', '-rf', '%s%n%x', '${7*7}', '{{7*7}}', '\\', '"', "'",
  '..', '.', '/', '//', '../../../../etc/passwd', '/etc/passwd', '/var/www/html/../../../etc/passwd', '/proc/self/environ', '..\\..\\', '....//', '%2e%2e%2f', '%252e%252e%252f', '%c0%ae%c0%ae/', '%00', '%zz', '%2f', 'a/../b', './.', '~root', 'file\u0000.png',
  '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'null', 'undefined', 'NaN', 'true', 'false', '[object Object]', '0', '-1', '-0', '1e309', '9007199254740993', '0x10', '1_000', '１２', '٣',
  'http://169.254.169.254/latest/', 'file:///etc/passwd', 'javascript:alert(1)', '//evil.example', '/\\evil.example', 'data:text/html,x', 'xn--', 'xn--a', 'a..b', '*.example', '.example', 'example.', 'localhost', '127.0.0.1', '[::1]', '0x7f.1', 'com', 'co.uk', '-a.example', `${'a'.repeat(64)}.example`,
];
const LONG_TEXTS = ['A'.repeat(256), 'A'.repeat(1025), '\u00e9'.repeat(1025), 'a.'.repeat(600), '/a'.repeat(1000), `${'a/'.repeat(300)}b`];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.constantFrom(...LONG_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)), maxLength: 8 }) },
);

export const hostileNumber = fc.constantFrom(-0, 0, -1, 1, 1.5, -1.5, 1e308, -1e308, 2 ** 31, -(2 ** 31), 2 ** 40 + 1, 2 ** 53, 2 ** 53 + 2, 1e21, 5e-324, 0.1 + 0.2);

/** Any JSON, of a type that was not asked for more often than not. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  hostileText, hostileNumber, fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], [{}], { length: 1 }, { toString: 'x' }, { $ne: '' }, Array.from({ length: 2000 }, (_, i) => i)), fc.jsonValue({ maxDepth: 3 }),
);

/** Names that an object has without being told, and some that a careless program would take over. */
export const strangeName = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'role', 'admin', 'account_id', 'user_id', 'id', 'plan', 'features', '', '\0', 'username ', '\u0430dmin');

/** Bodies that are no object of the right kind, or none at all. */
export const hostileBody: fc.Arbitrary<Buffer> = fc.oneof(
  fc.constantFrom('', '{', '}', 'null', 'true', '[]', '""', '0', '{"a":}', "{'a':1}", '{"a":1,}', '{}{}', '\ufeff{}', 'a=b', '<a/>', 'NaN', '{"__proto__":{"role":"admin"}}', '{"constructor":{"prototype":{"x":1}}}').map((text) => Buffer.from(text)),
  fc.constantFrom(Buffer.from([0xff, 0xfe]), Buffer.from([0x7b, 0x22, 0xc0, 0xae, 0x22, 0x3a, 0x31, 0x7d]), Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), Buffer.alloc(64, 0), Buffer.from('{"a":"\u0000"}')),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(64, 1000, 10_000).map((depth) => Buffer.from('['.repeat(depth) + ']'.repeat(depth))),
  fc.constantFrom(64, 5000).map((depth) => Buffer.from(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)),
);

export const hugeBody: fc.Arbitrary<Buffer> = fc.constantFrom(64 * 1024 + 1, 200_000).map((length) => Buffer.from(`{"a":"${'x'.repeat(length)}"}`));

export const wrongContentType = fc.constantFrom(undefined, '', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonp', 'application/json-patch+json', 'text/json', 'application/ json');

/** What is sent as Authorization and must open nothing; `{token}` stands for a token that is good. */
export const wrongAuthorization = fc.constantFrom(
  undefined, '', 'Bearer', 'Bearer ', 'Basic YTpi', '{token}', 'Token {token}', 'Bearer {token}x', 'Bearer {token},Bearer {token}', 'Bearer {token} {token}', 'Bearer "{token}"', 'Bearer x.y.z', 'Bearer null', 'Bearer ..', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIiwiYXVkIjoiYWRtaW4ifQ.', `Bearer ${'a'.repeat(2500)}.b.c`,
);

export const otherMethod = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'LOCK');

/** What can be done to a path so that it leads elsewhere, or should. */
export const mangledPath: fc.Arbitrary<(path: string) => string> = fc.constantFrom<(path: string) => string>(
  (path) => `${path}/`, (path) => `/${path}`, (path) => path.replace('/api', '/api/.'), (path) => path.replace('/api', '/api/..//api'), (path) => path.replace('/api', '/%61pi'), (path) => path.toUpperCase(), (path) => `${path};a=b`, (path) => `${path}%00`, (path) => `${path}/%2e%2e`,
  (path) => `${path}%2f`, (path) => `${path}?`, (path) => `${path}#x`, (path) => `http://evil.example${path}`, (path) => `${path}/../../metrics`, (path) => path.slice(0, -1), (path) => path.replaceAll('/', '//'), (path) => path.replaceAll('/', '\\'), (path) => `${path}?__proto__=1&constructor=2`, (path) => `${path}%c0%af`, (path) => `${path}\u00e9`,
);

/** Headers beside those that are needed. */
export const strangeHeader = fc.constantFrom<readonly [string, string]>(
  ['X-HTTP-Method-Override', 'DELETE'], ['X-Forwarded-For', '10.0.0.1'], ['X-Forwarded-Host', 'evil.example'], ['X-Original-URL', '/metrics'], ['Origin', 'https://evil.example'], ['Accept', 'text/xml'], ['Accept-Encoding', 'gzip, br'], ['Range', 'bytes=0-1'], ['If-None-Match', '*'], ['If-None-Match', '"x"'],
  ['Last-Event-ID', '-1'], ['Last-Event-ID', '99999999999999999999'], ['User-Agent', 'x'.repeat(1500)], ['User-Agent', '\u202e<script>'], ['Cookie', 'token=x'], ['Upgrade', 'websocket'], ['Connection', 'x'], ['Accept-Language', 'de'], ['Content-Encoding', 'gzip'],
);
