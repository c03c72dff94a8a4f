/** What can be said on a connection besides a good request, and the statuses that must come back before the server closes it. */

/** Puts the parts of requests together; `{LANGUAGE}` is answered in the same tick, `{FAVORITE}` once the store is asked. */
export function malformedRequests(token: string): readonly MalformedRequest[] {
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
    { name: 'a good request', send: language, statuses: [[200]] },
    { name: 'three requests in one write', send: language.repeat(3), statuses: [[200, 200, 200]] },
    {
      name: 'a request, a refused one and a good one',
      send: language + language.replace('language', 'nothing') + language,
      statuses: [[200, 404, 200]],
    },
    {
      name: 'a method that nobody declared, then a good request',
      send: language.replace('GET', 'DELETE') + language,
      statuses: [[405, 200]],
    },
    {
      name: 'a request behind one whose answer takes its time',
      send: language + sized('/kept') + language,
      statuses: [[], [200], [200, 200, 200]],
    },
    {
      name: 'a request behind a body that is too large',
      send: put('/x', 'Content-Length: 70000', 'a'.repeat(70_000)) + language,
      statuses: [[413], [413, 200]],
    },

    { name: 'no Host', send: 'GET /api/account/language HTTP/1.1\r\n\r\n', statuses: refused },
    { name: 'two Hosts', send: header('Host: evil.test\r\n'), statuses: [[200], [400]] },
    { name: 'HTTP/1.0', send: language.replace('HTTP/1.1', 'HTTP/1.0'), statuses: version },
    { name: 'HTTP/0.9', send: 'GET /api/account/language\r\n', statuses: version },
    { name: 'HTTP/1.2', send: language.replace('HTTP/1.1', 'HTTP/1.2'), statuses: version },
    { name: 'the preface of HTTP/2', send: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', statuses: version },
    { name: 'another protocol', send: language.replace('HTTP/1.1', 'FTP/1.1'), statuses: version },
    { name: 'absolute form', send: language.replace('GET /', 'GET http://localhost/'), statuses: version },
    {
      name: 'absolute form of another host',
      send: language.replace('GET /', 'GET http://evil.test/'),
      statuses: version,
    },
    { name: 'authority form', send: `CONNECT evil.test:443 HTTP/1.1\r\n${known}\r\n`, statuses: version },
    { name: 'asterisk form', send: `OPTIONS * HTTP/1.1\r\n${known}\r\n`, statuses: version },
    { name: 'TRACE', send: `TRACE /api/account/language HTTP/1.1\r\n${known}\r\n`, statuses: [[405]] },
    { name: 'a method in lower case', send: language.replace('GET', 'get'), statuses: [[405]] },
    { name: 'a method of 300 letters', send: language.replace('GET', 'A'.repeat(300)), statuses: [[405]] },
    {
      name: 'a WebSocket',
      send: header(
        'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n',
      ),
      statuses: [[200]],
    },
    {
      name: 'a hello of TLS',
      send: `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${'\xaa'.repeat(500)}`,
      statuses: version,
    },
    {
      name: 'all bytes that there are',
      send: Array.from({ length: 4096 }, (_, i) => String.fromCharCode((i * 7919) % 256)).join(''),
      statuses: version,
    },

    { name: 'a space before the colon', send: header('X-A : b\r\n'), statuses: refused },
    {
      name: 'a space before the colon of Transfer-Encoding',
      send: put('/smuggled', 'Transfer-Encoding : chunked\r\nContent-Length: 2', hidden),
      statuses: refused,
    },
    { name: 'a folded header', send: header('X-A: b\r\n c\r\n'), statuses: refused },
    {
      name: 'a folded Transfer-Encoding',
      send: put('/smuggled', 'X: y\r\n Transfer-Encoding: chunked\r\nContent-Length: 2', hidden),
      statuses: refused,
    },
    { name: 'lines that end in LF alone', send: language.replaceAll('\r\n', '\n'), statuses: version },
    { name: 'a header that ends in LF alone', send: header('X-A: b\nX-B: c\r\n'), statuses: refused },
    { name: 'a header that ends in CR alone', send: header('X-A: b\rX-B: c\r\n'), statuses: refused },
    { name: 'NUL in a header', send: header('X-A: b\0c\r\n'), statuses: refused },
    { name: 'NUL in the name of a header', send: header('X\0A: b\r\n'), statuses: refused },
    { name: 'NUL in the path', send: language.replace('account', 'acc\0unt'), statuses: version },
    { name: 'a blank in the path', send: language.replace('account', 'acc unt'), statuses: version },
    { name: 'tabs for blanks', send: language.replace('GET /', 'GET\t/'), statuses: version },
    { name: 'a header without a colon', send: header('nothing\r\n'), statuses: refused },
    {
      name: 'two hundred headers',
      send: header(Array.from({ length: 200 }, (_, i) => `X-${i}: a\r\n`).join('')),
      statuses: [[431], [400], []],
    },
    { name: 'a header of 2 MB', send: header(`X-A: ${'a'.repeat(2_000_000)}\r\n`), statuses: [[431], [400], []] },
    {
      name: 'a path of 2 MB',
      send: language.replace('language', 'a'.repeat(2_000_000)),
      statuses: [[431], [414], [505], [400], []],
    },

    { name: 'a length of less than nothing', send: put('/smuggled', 'Content-Length: -1'), statuses: refused },
    { name: 'a length with a sign', send: put('/smuggled', 'Content-Length: +31'), statuses: refused },
    { name: 'a length in hexadecimal', send: put('/smuggled', 'Content-Length: 0x1f'), statuses: refused },
    { name: 'a list of lengths', send: put('/smuggled', 'Content-Length: 31, 31'), statuses: refused },
    {
      name: 'a length of 23 digits',
      send: put('/smuggled', 'Content-Length: 99999999999999999999999'),
      statuses: refused,
    },
    { name: 'a length beyond 32 bits', send: put('/smuggled', `Content-Length: ${2 ** 32 + 31}`), statuses: [[413]] },
    {
      name: 'a length that is no whole number any more',
      send: put('/smuggled', 'Content-Length: 9007199254740993'),
      statuses: [[413]],
    },
    { name: 'a gigabyte, announced', send: put('/smuggled', 'Content-Length: 1073741824'), statuses: [[413]] },
    {
      name: 'a length that is short, and what follows',
      send: `${put('/smuggled', 'Content-Length: 5')}`,
      statuses: [[400], [505], [400, 505], [400, 400]],
    },
    { name: 'a body that never comes whole', send: put('/smuggled', 'Content-Length: 500'), statuses: [[]] },
    {
      name: 'a length and chunks',
      send: put('/smuggled', 'Content-Length: 4\r\nTransfer-Encoding: chunked', chunked(favorite)),
      statuses: refused,
    },
    {
      name: 'chunks and a length',
      send: put('/smuggled', 'Transfer-Encoding: chunked\r\nContent-Length: 4', chunked(favorite)),
      statuses: refused,
    },
    {
      name: 'a request in the body of a GET',
      send: header(`Content-Length: ${hidden.length}\r\n`) + hidden,
      statuses: [[200]],
    },
    {
      name: 'a request in the chunks of a GET',
      send: header('Transfer-Encoding: chunked\r\n') + chunked(hidden),
      statuses: [[200]],
    },
    {
      name: 'a request behind the chunks of a GET',
      send: `${header('Transfer-Encoding: chunked\r\n')}0\r\n\r\n${language}`,
      statuses: [[200, 200], [200]],
    },

    { name: 'chunks', send: put('', 'Transfer-Encoding: chunked', chunked(favorite)), statuses: [[200]] },
    { name: 'a coding that is none', send: put('/smuggled', 'Transfer-Encoding: identity'), statuses: refused },
    {
      name: 'two lengths',
      send: put('/let-in', `Content-Length: ${letIn.length}\r\nContent-Length: 2`, letIn),
      statuses: refused,
    },
    {
      name: 'a length twice',
      send: put('/let-in', `Content-Length: ${letIn.length}\r\nContent-Length: ${letIn.length}`, letIn),
      statuses: refused,
    },
    {
      name: 'a coding that sounds like chunks',
      send: put('/let-in', 'Transfer-Encoding: xchunked', chunked(letIn)),
      statuses: refused,
    },
    {
      name: 'chunks of another coding',
      send: put('/let-in', 'Transfer-Encoding: gzip, chunked', chunked(letIn)),
      statuses: refused,
    },
    {
      name: 'chunks twice',
      send: put('/let-in', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', chunked(letIn)),
      statuses: refused,
    },
    {
      name: 'sizes of chunks that end in LF alone',
      send: put('/let-in', 'Transfer-Encoding: chunked', chunked(letIn, '\n')),
      statuses: [[200], [400], []],
    },
    {
      name: 'a chunk whose size is no number',
      send: put('', 'Transfer-Encoding: chunked', `zz\r\n${favorite}\r\n0\r\n\r\n`),
      statuses: refused,
    },
    {
      name: 'a chunk of less than nothing',
      send: put('', 'Transfer-Encoding: chunked', `-1\r\n${favorite}\r\n0\r\n\r\n`),
      statuses: refused,
    },
    {
      name: 'a chunk of 17 digits',
      send: put('', 'Transfer-Encoding: chunked', `fffffffffffffffff\r\n${favorite}\r\n0\r\n\r\n`),
      statuses: refused,
    },
    {
      name: 'a chunk of 2 GB, announced',
      send: put('', 'Transfer-Encoding: chunked', `7fffffff\r\n${favorite}`),
      statuses: [[], [413], [400]],
    },
    {
      name: 'a chunk with an extension',
      send: put('', 'Transfer-Encoding: chunked', `${favorite.length.toString(16)};a=b\r\n${favorite}\r\n0\r\n\r\n`),
      statuses: [[200], ...refused],
    },
    {
      name: 'expectations',
      send: put('', `Expect: 100-continue\r\nContent-Length: ${favorite.length}`, ''),
      statuses: [[100], []],
    },
  ];
}

export interface MalformedRequest {
  readonly name: string;
  readonly send: string;
  /** Each of the sequences that may come back; the empty one is silence until the connection is closed. */
  readonly statuses: readonly (readonly number[])[];
}
