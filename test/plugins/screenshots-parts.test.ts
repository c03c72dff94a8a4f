import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { HttpError } from '../../kernel/errors.ts';
import { ByteLru } from '../../plugins/screenshots/cache/byte-lru.ts';
import { browserFlags, stripUnsafeFlags, launchWrapper } from '../../plugins/screenshots/browser/launch-command.ts';
import { DiskCache } from '../../plugins/screenshots/cache/disk-cache.ts';
import { EgressProxy } from '../../plugins/screenshots/egress/egress-proxy.ts';
import { FairQueue } from '../../plugins/screenshots/browser/fair-queue.ts';
import { EgressPolicy } from '../../plugins/screenshots/egress/egress-policy.ts';
import { privateBytes, processGroup } from '../../plugins/screenshots/browser/memory-watch.ts';
import { Screenshot } from '../../plugins/screenshots/cache/screenshot.ts';
import { Recent } from '../../plugins/screenshots/cache/recent.ts';
import { remoteUrl } from '../../plugins/screenshots/remote-url.ts';
import { greetingLength, parseRequest } from '../../plugins/screenshots/egress/socks.ts';
import { targetOf } from '../../plugins/screenshots/target.ts';
import { NameServer } from '../fixtures/screenshots/name-server.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('screenshots: parts');
const OWN = new Set(['own.test']);
const SETTINGS = {
  site_address: '127.0.0.1:8081',
  site_tls_address: '',
  public_addresses: true,
  dns_servers: [] as string[],
};
const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex');

function codeOf(work: () => unknown): string {
  try {
    work();
    return 'none';
  } catch (error) {
    return error instanceof HttpError ? error.code : String(error);
  }
}

test('a target is a domain and one form of its address, which stays on that domain', () => {
  assert.equal(targetOf('Own.Test.'), { domain: 'own.test', url: 'http://own.test/' });
  assert.is(targetOf('own.test/a/../b?x=1#y').url, 'http://own.test/b?x=1');
  assert.is(targetOf('münchen.test').domain, 'xn--mnchen-3ya.test');
  for (const path of [
    'own.test//evil.test/',
    'own.test/\\evil.test',
    'own.test/@evil.test',
    'own.test/../../..//evil.test',
  ])
    assert.is(new URL(targetOf(path).url).host, 'own.test', path);
  for (const path of [
    '',
    '/',
    '/own.test',
    'own.test:80',
    'a@own.test',
    'own.test\\@evil.test',
    '[::1]',
    'a..test',
    '.test',
    '-a.test',
    'a_b.test',
    'xn--a',
    'xn--a.test',
    '999',
    '1.2.3.256',
    'a.0x',
    `${'a'.repeat(64)}.test`,
    'own.test?x',
    'own%2etest',
    'mün\\chen.test',
    'mün/../x'.replace('/', '\u2044'),
  ])
    assert.is(
      codeOf(() => targetOf(path)),
      'invalid_domain',
      path,
    );
  for (const path of ['own.test/\u0000', 'own.test/a\nb', 'ow\tn.test'])
    assert.is(
      codeOf(() => targetOf(path)),
      'invalid_path',
      path,
    );
});

test('own domains lead to the web server, public addresses to themselves, all others nowhere', async () => {
  const gate = new EgressPolicy(SETTINGS);
  assert.equal(await gate.admit({ host: 'own.test', port: 80 }, OWN), { host: '127.0.0.1', port: 8081 });
  assert.equal(await gate.admit({ host: 'www.own.test', port: 443 }, OWN), { host: '127.0.0.1', port: 443 });
  const unsaid = { ...SETTINGS, site_address: '' };
  assert.equal(await new EgressPolicy(unsaid).admit({ host: 'own.test', port: 80 }, OWN), {
    host: '127.0.0.1',
    port: 80,
  });
  const told = new EgressPolicy(unsaid, async () => ({ host: '127.0.0.2', port: 2080 }));
  assert.equal(await told.admit({ host: 'own.test', port: 80 }, OWN), { host: '127.0.0.2', port: 2080 });
  assert.equal(await told.admit({ host: 'own.test', port: 443 }, OWN), { host: '127.0.0.2', port: 443 });
  assert.equal(
    await new EgressPolicy(SETTINGS, async () => ({ host: '127.0.0.2', port: 2080 })).admit(
      { host: 'own.test', port: 80 },
      OWN,
    ),
    { host: '127.0.0.1', port: 8081 },
    'what is configured is what counts',
  );
  assert.equal(await gate.admit({ host: '93.184.216.34', port: 443 }, OWN), { host: '93.184.216.34', port: 443 });
  const refused = async (settings: typeof SETTINGS, host: string, port: number) =>
    assert.ok(
      await new EgressPolicy(settings).admit({ host, port }, OWN).then(
        () => false,
        () => true,
      ),
      host,
    );
  for (const host of ['127.0.0.1', '169.254.169.254', '::1', '10.0.0.1']) await refused(SETTINGS, host, 80);
  await refused(SETTINGS, '93.184.216.34', 25);
  await refused({ ...SETTINGS, public_addresses: false }, '93.184.216.34', 80);
});

test('a name is resolved each time, and what was checked is what is connected to', async () => {
  const names = await NameServer.start();
  const gate = new EgressPolicy({ ...SETTINGS, dns_servers: [names.address] });
  names.answer('rebinding.test', '93.184.216.34', '127.0.0.1');
  assert.equal(await gate.admit({ host: 'rebinding.test', port: 80 }, OWN), { host: '93.184.216.34', port: 80 });
  const second = await gate.admit({ host: 'rebinding.test', port: 80 }, OWN).then(
    () => 'admitted',
    (error: Error) => error.message,
  );
  assert.match(second, /not public/);
  assert.match(
    await gate.admit({ host: 'unknown.test', port: 80 }, OWN).then(
      () => 'admitted',
      (error: Error) => error.message,
    ),
    /no address/,
  );
  await names.close();
});

test('a way out passes bytes to the web server only while it is open', async () => {
  const echo = createServer((socket) => void socket.on('error', () => socket.destroy()).pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const egress = await EgressProxy.listen(
    new EgressPolicy({ ...SETTINGS, site_address: `127.0.0.1:${(echo.address() as AddressInfo).port}` }),
    { bytes: 1000, connections: 10 },
  );
  const ask = async (host: string, payload: string) => {
    const socket = connect(Number(new URL(egress.url).port), '127.0.0.1');
    const chunks: Buffer[] = [];
    const ended = new Promise<void>((resolve) => void socket.on('close', () => resolve()).on('error', () => resolve()));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (Buffer.concat(chunks).length === 12) socket.write(payload);
      if (Buffer.concat(chunks).length === 12 + payload.length) socket.destroy();
    });
    socket.write(
      Buffer.concat([Buffer.from([5, 1, 0, 5, 1, 0, 3, host.length]), Buffer.from(host), Buffer.from([0, 80])]),
    );
    await ended;
    return Buffer.concat(chunks).subarray(2);
  };
  assert.is((await ask('own.test', 'hello'))[1], 2, 'closed at first');
  egress.open(OWN);
  assert.is((await ask('own.test', 'hello')).subarray(10).toString(), 'hello');
  assert.is((await ask('other.invalid', 'hello'))[1], 2);
  assert.ok((await ask('own.test', 'x'.repeat(2000))).length < 2010, 'cut off at the limit');
  assert.is((await ask('own.test', 'hello'))[1], 2, 'and closed from then on');
  egress.close();
  await new Promise((resolve) => echo.close(resolve));
});

test('SOCKS messages are read whole, in parts, and refused when they are something else', () => {
  assert.is(greetingLength(Uint8Array.of(5, 1)), undefined);
  assert.is(greetingLength(Uint8Array.of(5, 1, 0, 9)), 3);
  assert.throws(() => greetingLength(Buffer.from('GET / HTTP/1.1')));
  const request = Buffer.concat([Buffer.from([5, 1, 0, 3, 9]), Buffer.from('Own.TEST.'), Buffer.from([1, 187, 7])]);
  for (let length = 0; length < 16; length += 1) assert.is(parseRequest(request.subarray(0, length)), undefined);
  assert.equal(parseRequest(request), { destination: { host: 'own.test', port: 443 }, length: 16 });
  assert.equal(parseRequest(Uint8Array.of(5, 1, 0, 1, 127, 0, 0, 1, 0, 80))?.destination, {
    host: '127.0.0.1',
    port: 80,
  });
  assert.is(
    parseRequest(Buffer.from('0501000400000000000000000000ffff7f0000010050', 'hex'))?.destination.host,
    '127.0.0.1',
  );
  for (const bytes of [
    [4, 1, 0, 1, 1],
    [5, 2, 0, 1, 1],
    [5, 3, 0, 1, 1],
    [5, 1, 0, 9, 1],
    [5, 1, 0, 3, 0],
  ])
    assert.throws(() => parseRequest(Uint8Array.from(bytes)));
});

test('accounts take turns in the queue, and it has limits', () => {
  const queue = new FairQueue<string>(4, 3);
  assert.equal(
    ['a1', 'a2', 'a3', 'a4'].map((item) => queue.push(1, item)),
    [true, true, true, false],
  );
  assert.equal(
    ['b1', 'b2'].map((item) => queue.push(2, item)),
    [true, false],
  );
  assert.equal(
    Array.from({ length: 5 }, () => queue.shift()),
    ['a1', 'b1', 'a2', 'a3', undefined],
  );
  assert.is(queue.size, 0);
});

test('the least recently used leaves first, and what is too big does not stay', () => {
  const left: string[] = [];
  const lru = new ByteLru<number>(100, (key) => left.push(key));
  lru.set('a', 1, 40);
  lru.set('b', 2, 40);
  assert.is(lru.get('a'), 1);
  lru.set('c', 3, 40);
  assert.equal([left, lru.get('b'), lru.bytes], [['b'], undefined, 80]);
  lru.set('big', 4, 101);
  assert.equal([lru.get('big'), lru.bytes], [undefined, 0]);
});

test("pictures on disk: by account, whole, in time, within the limit, and their domain's", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hostkeep-test-'));
  const errors: unknown[] = [];
  const open = (limitBytes = 1000) => new DiskCache(folder, 60_000, limitBytes, (error) => errors.push(error));
  const png = (size: number) => Buffer.concat([Buffer.alloc(size - 12), PNG_END]);
  const disk = open();
  await disk.write(1, 'a.test', 'u1', { png: png(100), takenAt: Date.now() });
  assert.is((await disk.read(1, 'a.test', 'u1'))?.png.length, 100);
  assert.is(await disk.read(2, 'a.test', 'u1'), undefined, 'another account');
  assert.is(await disk.read(1, 'a.test', 'u2'), undefined, 'another address');
  const [domainFolder = ''] = readdirSync(join(folder, '1'));
  const [name = ''] = readdirSync(join(folder, '1', domainFolder));
  const file = join(folder, '1', domainFolder, name);
  assert.equal(
    [/^[0-9a-f]{64}$/.test(domainFolder), /^[0-9a-f]{64}\.png$/.test(name), statSync(file).mode & 0o777],
    [true, true, 0o600],
  );
  writeFileSync(`${file}.0.tmp`, 'half');
  assert.is((await open().read(1, 'a.test', 'u1'))?.png.length, 100, 'after a restart');
  assert.equal(readdirSync(join(folder, '1', domainFolder)), [name], 'what was half written is gone');
  writeFileSync(file, 'torn');
  assert.is(await open().read(1, 'a.test', 'u1'), undefined);
  await disk.write(1, 'a.test', 'u1', { png: png(100), takenAt: Date.now() - 61_000 });
  assert.is(await disk.read(1, 'a.test', 'u1'), undefined, 'too old');
  await disk.write(1, 'a.test', 'u1', { png: png(100), takenAt: Date.now() + 3_600_000 });
  assert.is(await disk.read(1, 'a.test', 'u1'), undefined, 'of a time to come');
  for (const [i, url] of ['u1', 'u2', 'u3'].entries()) {
    await disk.write(1, 'a.test', url, { png: png(400), takenAt: Date.now() });
    if (i === 1) await disk.read(1, 'a.test', 'u1');
  }
  assert.equal(
    (await Promise.all(['u1', 'u2', 'u3'].map((url) => disk.read(1, 'a.test', url)))).map((each) => each !== undefined),
    [true, false, true],
  );
  await disk.write(1, 'b.test', 'u1', { png: png(100), takenAt: Date.now() });
  await disk.keepOnly(1, ['b.test']);
  assert.is(await disk.read(1, 'a.test', 'u1'), undefined);
  assert.is((await disk.read(1, 'b.test', 'u1'))?.png.length, 100);
  await disk.keepOnly(1, []);
  assert.equal([await disk.accounts(), errors], [[], []]);
  rmSync(folder, { recursive: true });
});

test('which picture leaves is remembered over a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hostkeep-test-'));
  const errors: unknown[] = [];
  const picture = { png: Buffer.concat([Buffer.alloc(388), PNG_END]), takenAt: Date.now() };
  const before = new DiskCache(folder, 60_000, 2000, (error) => errors.push(error));
  for (const url of ['u1', 'u2', 'u3']) await before.write(1, 'a.test', url, picture);
  for (const path of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (path.isFile()) utimesSync(join(path.parentPath, path.name), 1000, picture.takenAt / 1000);
  await before.read(1, 'a.test', 'u2');
  const after = new DiskCache(folder, 60_000, 800, (error) => errors.push(error));
  await after.write(1, 'a.test', 'u4', picture);
  assert.equal(
    (await Promise.all(['u1', 'u2', 'u3', 'u4'].map((url) => after.read(1, 'a.test', url)))).map(
      (each) => each !== undefined,
    ),
    [false, true, false, true],
  );
  assert.equal(errors, []);
  rmSync(folder, { recursive: true });
});

test('a picture is not sent again to who has it', () => {
  const picture = new Screenshot(PNG_END, 0);
  const etag = new Map(picture.answer('').headers).get('ETag') ?? '';
  for (const header of ['*', etag, `W/${etag}`, `"a", ${etag}`]) assert.is(picture.answer(header).status, 304, header);
  for (const header of ['', '"a"', etag.slice(1, -1)]) assert.is(picture.answer(header).status, undefined, header);
});

test('the remote address is filled, percent-encoded and signed, and stays the same for a while', () => {
  const size = { width: 320, refresh: false };
  const request = { target: targetOf('own.test/a?b=c&d={width}'), ...size };
  assert.is(
    remoteUrl('https://s.test/{domain}?p={path}&w={width}&r={refresh}&{other}', '', request, 0),
    'https://s.test/own.test?p=%2Fa%3Fb%3Dc%26d%3D%7Bwidth%7D&w=320&r=false&{other}',
  );
  const signed = remoteUrl('https://s.test/?u={url}', 'key', { target: targetOf('own.test'), ...size }, 1000);
  assert.is(
    signed,
    'https://s.test/?u=http%3A%2F%2Fown.test%2F&expires=7200&signature=fd3489630348e64020013abdd5eadb9ce64f09c9a613ccbe424d34901fdbd3e3',
  );
  assert.is(remoteUrl('https://s.test/?u={url}', 'key', { target: targetOf('own.test'), ...size }, 3_599_000), signed);
  assert.match(remoteUrl('https://s.test/x', 'key', request, 0), /^https:\/\/s\.test\/x\?expires=7200&signature=/);
});

test('memory and group of a process are read from what the kernel says', () => {
  assert.is(
    privateBytes('Name:\tchromium\nRssAnon:\t    1024 kB\nRssFile:\t  9999 kB\nRssShmem:\t      16 kB\n'),
    1040 * 1024,
  );
  assert.is(processGroup('12 (chromium ) S (x)) S 1 4711 4711 0 -1'), 4711);
});

test('the browser is started without rights, without doors, and with its memory bounded', () => {
  const command = launchWrapper(1000, { uid: 65534, gid: 65534 });
  for (const part of ['--reuid=65534', '--regid=65534', '--clear-groups', '--data=1000', '--pdeathsig=KILL'])
    assert.ok(command.includes(part), part);
  assert.not.ok(launchWrapper(1000, undefined).some((part) => part.startsWith('--reuid')));
  assert.not.ok(browserFlags({ page_memory_bytes: 2 ** 28 }, true).includes('--no-sandbox'));
  assert.ok(browserFlags({ page_memory_bytes: 2 ** 28 }, false).includes('--no-sandbox'));
  assert.equal(stripUnsafeFlags(['--disable-popup-blocking', '--a', 'about:blank']), ['--a']);
});

test('what happened lately is forgotten in time and in number', () => {
  const recent = new Recent<number>(60_000, 2);
  for (const [i, key] of ['a', 'b', 'c'].entries()) recent.set(key, i);
  assert.equal([recent.get('a'), recent.get('c')], [undefined, { value: 2, seconds: 60 }]);
  const brief = new Recent<number>(0, 2);
  brief.set('a', 1);
  assert.is(brief.get('a'), undefined);
});
