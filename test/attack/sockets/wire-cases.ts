/** Valid, ambiguous and malformed requests, with the statuses that must come back before the connection closes. */

export function wireCases(token: string): readonly WireCase[] {
  const host = 'Host: localhost\r\n';
  const known = `${host}Authorization: Bearer ${token}\r\n`;
  const json = `${known}Content-Type: application/json\r\n`;
  const language = `GET /api/account/language HTTP/1.1\r\n${known}\r\n`;
  const put = (link: string, framing: string, body = JSON.stringify({ link, title: 'x' })) =>
    `PUT /api/favorites HTTP/1.1\r\n${json}${framing}\r\n\r\n${body}`;
  const sized = (link: string) =>
    put(link, `Content-Length: ${Buffer.byteLength(JSON.stringify({ link, title: 'x' }))}`);
  const hidden = sized('/smuggled');
  const chunked = (text: string, line = '\r\n') => `${text.length.toString(16)}${line}${text}\r\n0\r\n\r\n`;
  const letIn = JSON.stringify({ link: '/let-in', title: 'x' });
  const favorite = JSON.stringify({ link: '/chunked', title: 'x' });
  const header = (extra: string) => `GET /api/account/language HTTP/1.1\r\n${known}${extra}\r\n`;
  const refused = [[400], []] as const;
  const version = [[505], [400], []] as const;
  return [
    { name: 'a valid request', bytes: language, statuses: [[200]] },
    { name: 'three requests in one write', bytes: language.repeat(3), statuses: [[200, 200, 200]] },
    {
      name: 'a request, a refused one and a valid one',
      bytes: language + language.replace('language', 'nothing') + language,
      statuses: [[200, 404, 200]],
    },
    {
      name: 'an undeclared method, then a valid request',
      bytes: language.replace('GET', 'DELETE') + language,
      statuses: [[405, 200]],
    },
    {
      name: 'a request pipelined behind one that waits for the store',
      bytes: language + sized('/kept') + language,
      statuses: [[], [200], [200, 200, 200]],
    },
    {
      name: 'a request behind an oversized body',
      bytes: put('/x', 'Content-Length: 70000', 'a'.repeat(70_000)) + language,
      statuses: [[413], [413, 200]],
    },

    { name: 'no Host', bytes: 'GET /api/account/language HTTP/1.1\r\n\r\n', statuses: refused },
    { name: 'two Hosts', bytes: header('Host: evil.test\r\n'), statuses: [[200], [400]] },
    { name: 'HTTP/1.0', bytes: language.replace('HTTP/1.1', 'HTTP/1.0'), statuses: version },
    { name: 'HTTP/0.9', bytes: 'GET /api/account/language\r\n', statuses: version },
    { name: 'HTTP/1.2', bytes: language.replace('HTTP/1.1', 'HTTP/1.2'), statuses: version },
    { name: 'the preface of HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', statuses: version },
    { name: 'another protocol name', bytes: language.replace('HTTP/1.1', 'FTP/1.1'), statuses: version },
    { name: 'absolute form', bytes: language.replace('GET /', 'GET http://localhost/'), statuses: version },
    {
      name: 'absolute form of another host',
      bytes: language.replace('GET /', 'GET http://evil.test/'),
      statuses: version,
    },
    { name: 'authority form', bytes: `CONNECT evil.test:443 HTTP/1.1\r\n${known}\r\n`, statuses: version },
    { name: 'asterisk form', bytes: `OPTIONS * HTTP/1.1\r\n${known}\r\n`, statuses: version },
    { name: 'TRACE', bytes: `TRACE /api/account/language HTTP/1.1\r\n${known}\r\n`, statuses: [[405]] },
    { name: 'a method in lower case', bytes: language.replace('GET', 'get'), statuses: [[405]] },
    { name: 'a method of 300 letters', bytes: language.replace('GET', 'A'.repeat(300)), statuses: [[405]] },
    {
      name: 'a WebSocket upgrade',
      bytes: header(
        'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n',
      ),
      statuses: [[200]],
    },
    {
      name: 'a TLS ClientHello',
      bytes: `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${'\xaa'.repeat(500)}`,
      statuses: version,
    },
    {
      name: 'every byte value',
      bytes: Array.from({ length: 4096 }, (_, i) => String.fromCharCode((i * 7919) % 256)).join(''),
      statuses: version,
    },

    { name: 'a space before the colon', bytes: header('X-A : b\r\n'), statuses: refused },
    {
      name: 'a space before the colon of Transfer-Encoding',
      bytes: put('/smuggled', 'Transfer-Encoding : chunked\r\nContent-Length: 2', hidden),
      statuses: refused,
    },
    { name: 'a folded header', bytes: header('X-A: b\r\n c\r\n'), statuses: refused },
    {
      name: 'a folded Transfer-Encoding',
      bytes: put('/smuggled', 'X: y\r\n Transfer-Encoding: chunked\r\nContent-Length: 2', hidden),
      statuses: refused,
    },
    { name: 'lines ending in LF alone', bytes: language.replaceAll('\r\n', '\n'), statuses: version },
    { name: 'a header ending in LF alone', bytes: header('X-A: b\nX-B: c\r\n'), statuses: refused },
    { name: 'a header ending in CR alone', bytes: header('X-A: b\rX-B: c\r\n'), statuses: refused },
    { name: 'NUL in a header', bytes: header('X-A: b\0c\r\n'), statuses: refused },
    { name: 'NUL in a header name', bytes: header('X\0A: b\r\n'), statuses: refused },
    { name: 'NUL in the path', bytes: language.replace('account', 'acc\0unt'), statuses: version },
    { name: 'a space in the path', bytes: language.replace('account', 'acc unt'), statuses: version },
    { name: 'a tab instead of a space', bytes: language.replace('GET /', 'GET\t/'), statuses: version },
    { name: 'a header without a colon', bytes: header('nothing\r\n'), statuses: refused },
    {
      name: 'two hundred headers',
      bytes: header(Array.from({ length: 200 }, (_, i) => `X-${i}: a\r\n`).join('')),
      statuses: [[431], [400], []],
    },
    { name: 'a header of 2 MB', bytes: header(`X-A: ${'a'.repeat(2_000_000)}\r\n`), statuses: [[431], [400], []] },
    {
      name: 'a path of 2 MB',
      bytes: language.replace('language', 'a'.repeat(2_000_000)),
      statuses: [[431], [414], [505], [400], []],
    },

    { name: 'a negative length', bytes: put('/smuggled', 'Content-Length: -1'), statuses: refused },
    { name: 'a length with a sign', bytes: put('/smuggled', 'Content-Length: +31'), statuses: refused },
    { name: 'a length in hexadecimal', bytes: put('/smuggled', 'Content-Length: 0x1f'), statuses: refused },
    { name: 'a list of lengths', bytes: put('/smuggled', 'Content-Length: 31, 31'), statuses: refused },
    {
      name: 'a length of 23 digits',
      bytes: put('/smuggled', 'Content-Length: 99999999999999999999999'),
      statuses: refused,
    },
    { name: 'a length beyond 32 bits', bytes: put('/smuggled', `Content-Length: ${2 ** 32 + 31}`), statuses: [[413]] },
    {
      name: 'a length beyond 2^53',
      bytes: put('/smuggled', 'Content-Length: 9007199254740993'),
      statuses: [[413]],
    },
    { name: 'an announced gigabyte', bytes: put('/smuggled', 'Content-Length: 1073741824'), statuses: [[413]] },
    {
      name: 'a length shorter than the body',
      bytes: `${put('/smuggled', 'Content-Length: 5')}`,
      statuses: [[400], [505], [400, 505], [400, 400]],
    },
    { name: 'an incomplete body', bytes: put('/smuggled', 'Content-Length: 500'), statuses: [[]] },
    {
      name: 'a length and chunks',
      bytes: put('/smuggled', 'Content-Length: 4\r\nTransfer-Encoding: chunked', chunked(favorite)),
      statuses: refused,
    },
    {
      name: 'chunks and a length',
      bytes: put('/smuggled', 'Transfer-Encoding: chunked\r\nContent-Length: 4', chunked(favorite)),
      statuses: refused,
    },
    {
      name: 'a request in the body of a GET',
      bytes: header(`Content-Length: ${hidden.length}\r\n`) + hidden,
      statuses: [[400]],
    },
    {
      name: 'a request in the chunks of a GET',
      bytes: header('Transfer-Encoding: chunked\r\n') + chunked(hidden),
      statuses: [[400]],
    },
    {
      name: 'a request behind the chunks of a GET',
      bytes: `${header('Transfer-Encoding: chunked\r\n')}0\r\n\r\n${language}`,
      statuses: [[400, 200], [400]],
    },

    { name: 'chunks', bytes: put('', 'Transfer-Encoding: chunked', chunked(favorite)), statuses: [[200]] },
    { name: 'Transfer-Encoding: identity', bytes: put('/smuggled', 'Transfer-Encoding: identity'), statuses: refused },
    {
      name: 'two different lengths',
      bytes: put('/let-in', `Content-Length: ${letIn.length}\r\nContent-Length: 2`, letIn),
      statuses: refused,
    },
    {
      name: 'the same length twice',
      bytes: put('/let-in', `Content-Length: ${letIn.length}\r\nContent-Length: ${letIn.length}`, letIn),
      statuses: refused,
    },
    {
      name: 'a coding similar to chunked',
      bytes: put('/let-in', 'Transfer-Encoding: xchunked', chunked(letIn)),
      statuses: refused,
    },
    {
      name: 'gzip before chunked',
      bytes: put('/let-in', 'Transfer-Encoding: gzip, chunked', chunked(letIn)),
      statuses: refused,
    },
    {
      name: 'chunked twice',
      bytes: put('/let-in', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', chunked(letIn)),
      statuses: refused,
    },
    {
      name: 'chunk sizes ending in LF alone',
      bytes: put('/let-in', 'Transfer-Encoding: chunked', chunked(letIn, '\n')),
      statuses: [[200], [400], []],
    },
    {
      name: 'a chunk size that is not a number',
      bytes: put('', 'Transfer-Encoding: chunked', `zz\r\n${favorite}\r\n0\r\n\r\n`),
      statuses: refused,
    },
    {
      name: 'a negative chunk size',
      bytes: put('', 'Transfer-Encoding: chunked', `-1\r\n${favorite}\r\n0\r\n\r\n`),
      statuses: refused,
    },
    {
      name: 'a chunk size of 17 digits',
      bytes: put('', 'Transfer-Encoding: chunked', `fffffffffffffffff\r\n${favorite}\r\n0\r\n\r\n`),
      statuses: refused,
    },
    {
      name: 'an announced chunk of 2 GB',
      bytes: put('', 'Transfer-Encoding: chunked', `7fffffff\r\n${favorite}`),
      statuses: [[], [413], [400]],
    },
    {
      name: 'a chunk with an extension',
      bytes: put('', 'Transfer-Encoding: chunked', `${favorite.length.toString(16)};a=b\r\n${favorite}\r\n0\r\n\r\n`),
      statuses: [[200], ...refused],
    },
    {
      name: 'Expect: 100-continue',
      bytes: put('', `Expect: 100-continue\r\nContent-Length: ${favorite.length}`, ''),
      statuses: [[100], []],
    },
  ];
}

export interface WireCase {
  readonly name: string;
  readonly bytes: string;
  /** The allowed sequences of statuses; an empty one means that the connection closes without a response. */
  readonly statuses: readonly (readonly number[])[];
}
