import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { PassThrough } from 'node:stream';
import sharp from 'sharp';
import * as assert from '../../../support/assert.ts';
import { HttpError, errorMessage } from '../../../../kernel/errors.ts';
import type { Account } from '../../../../kernel/identity/accounts/account.ts';
import { createLog } from '../../../../kernel/log.ts';
import { pipeTransport } from '../../../../plugins/screenshots/browser/pipe-transport.ts';
import {
  browserFlags,
  findBrowserUser,
  browserVersion,
  NoAnswer,
  stripUnsafeFlags,
} from '../../../../plugins/screenshots/browser/launch-command.ts';
import { makeProfile, removeStaleProfiles } from '../../../../plugins/screenshots/browser/profile-folder.ts';
import { DiskCache } from '../../../../plugins/screenshots/cache/disk-cache.ts';
import { EgressProxy } from '../../../../plugins/screenshots/egress/egress-proxy.ts';
import { EgressPolicy } from '../../../../plugins/screenshots/egress/egress-policy.ts';
import { privateBytes, processGroup } from '../../../../plugins/screenshots/browser/memory-watch.ts';
import { Scaler } from '../../../../plugins/screenshots/cache/scaler.ts';
import { Screenshot } from '../../../../plugins/screenshots/cache/screenshot.ts';
import { isLocalAddress } from '../../../../plugins/screenshots/egress/source-address.ts';
import { OwnDomains } from '../../../../plugins/screenshots/own-domains.ts';
import { remoteUrl } from '../../../../plugins/screenshots/remote-url.ts';
import { greetingLength, parseRequest } from '../../../../plugins/screenshots/egress/socks.ts';
import { ScreenshotService, type ScreenshotRequest } from '../../../../plugins/screenshots/screenshot-service.ts';
import { parseTarget } from '../../../../plugins/screenshots/target.ts';
import { pixels } from '../fixtures/harness.ts';
import { NameServer } from '../fixtures/name-server.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { NO_RIGHTS, rightsIn } from '../../../support/process-rights.ts';
import { jobsIn } from '../../../support/files-root.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const test = testSuite('screenshots: parts');
const OWN = new Set(['own.test']);
const SETTINGS = {
  site_address: '127.0.0.1:8081',
  site_tls_address: '',
  source_address: '127.0.0.2',
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

test('a target is a domain and a normalized URL, which stays on that domain', () => {
  assert.equal(parseTarget('Own.Test.'), { domain: 'own.test', url: 'http://own.test/' });
  assert.is(parseTarget('own.test/a/../b?x=1#y').url, 'http://own.test/b?x=1');
  assert.is(parseTarget('münchen.test').domain, 'xn--mnchen-3ya.test');
  for (const path of [
    'own.test//evil.test/',
    'own.test/\\evil.test',
    'own.test/@evil.test',
    'own.test/../../..//evil.test',
  ])
    assert.is(new URL(parseTarget(path).url).host, 'own.test', path);
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
      codeOf(() => parseTarget(path)),
      'invalid_domain',
      path,
    );
  for (const path of ['own.test/\u0000', 'own.test/a\nb', 'ow\tn.test'])
    assert.is(
      codeOf(() => parseTarget(path)),
      'invalid_path',
      path,
    );
});

// asvs 1.3.6: requests go to own domains and public addresses only
test('own domains lead to the web server, public addresses to themselves', async () => {
  const policy = new EgressPolicy(SETTINGS);
  const ofNode = (host: string, port: number) => ({ host, port, localAddress: '127.0.0.2' });
  assert.equal(await policy.admit({ host: 'own.test', port: 80 }, OWN), ofNode('127.0.0.1', 8081));
  const unset = { ...SETTINGS, site_address: '' };
  assert.equal(await new EgressPolicy(unset).admit({ host: 'own.test', port: 80 }, OWN), ofNode('127.0.0.1', 80));
  const served = new EgressPolicy(unset, async () => ({ host: '127.0.0.3', port: 2080 }));
  assert.equal(await served.admit({ host: 'own.test', port: 80 }, OWN), ofNode('127.0.0.3', 2080));
  for (const host of ['own.test', 'www.own.test'])
    assert.equal(
      await served.admit({ host, port: 2080 }, OWN),
      ofNode('127.0.0.3', 2080),
      'a redirect of the web server to the port at which it listens',
    );
  const tls = new EgressPolicy({ ...SETTINGS, site_tls_address: '127.0.0.3:8443' });
  for (const port of [443, 8443])
    assert.equal(await tls.admit({ host: 'www.own.test', port }, OWN), ofNode('127.0.0.3', 8443));
  assert.equal(
    await new EgressPolicy(SETTINGS, async () => ({ host: '127.0.0.3', port: 2080 })).admit(
      { host: 'own.test', port: 80 },
      OWN,
    ),
    ofNode('127.0.0.1', 8081),
    'the setting takes precedence',
  );
  assert.equal(await policy.admit({ host: '93.184.216.34', port: 443 }, OWN), { host: '93.184.216.34', port: 443 });
  const refused = async (settings: typeof SETTINGS, host: string, port: number) =>
    assert.ok(
      await new EgressPolicy(settings).admit({ host, port }, OWN).then(
        () => false,
        () => true,
      ),
      host,
    );
  for (const host of ['127.0.0.1', '169.254.169.254', '::1', '10.0.0.1']) await refused(SETTINGS, host, 80);
  await refused(SETTINGS, 'own.test', 2083);
  await refused({ ...SETTINGS, site_address: '127.0.0.1:2080' }, 'other.test', 2080);
  await refused(SETTINGS, '93.184.216.34', 25);
  await refused({ ...SETTINGS, public_addresses: false }, '93.184.216.34', 80);
});

// threat ssrf: https of an own domain does not lead to whatever listens on port 443 of this node
test('without an https server an own domain never leads to this node', async () => {
  const names = await NameServer.start();
  try {
    const policy = new EgressPolicy({ ...SETTINGS, dns_servers: [names.address] });
    const admitted = () => policy.admit({ host: 'own.test', port: 443 }, OWN).catch(errorMessage);
    for (const address of ['127.0.0.1', '127.0.0.2', '10.0.0.1']) {
      names.answer('own.test', address);
      assert.is(await admitted(), `own.test is at ${address}, which is not public`);
    }
    names.answer('own.test', '93.184.216.34');
    assert.equal(await admitted(), { host: '93.184.216.34', port: 443 });
  } finally {
    await names.close();
  }
});

test('a web server on this node is reached from the source address', async () => {
  const admit = (site: string, source: string) =>
    new EgressPolicy({ ...SETTINGS, site_address: site, source_address: source })
      .admit({ host: 'own.test', port: 80 }, OWN)
      .catch(errorMessage);
  assert.is(
    await admit('[::1]:8081', '127.0.0.2'),
    'the web server at ::1 cannot be reached from 127.0.0.2, which is of another IP version',
  );
  assert.equal(await admit('[::1]:8081', '::1'), { host: '::1', port: 8081, localAddress: '::1' });
  assert.equal(await admit('localhost:8081', '127.0.0.2'), {
    host: '127.0.0.1',
    port: 8081,
    localAddress: '127.0.0.2',
  });
  assert.equal(await admit('93.184.216.34:80', '127.0.0.2'), { host: '93.184.216.34', port: 80 });
  for (const address of ['127.0.0.1', '127.0.0.2', '127.99.0.1']) assert.ok(await isLocalAddress(address), address);
  for (const address of ['', 'localhost', '0.0.0.0', '::', '192.0.2.77', '93.184.216.34', '127.0.0', '::2'])
    assert.not(await isLocalAddress(address), address);
});

// threat ssrf: the checked address is the one that is connected to
test('a name is resolved each time, and the checked address is connected to', async () => {
  const names = await NameServer.start();
  const policy = new EgressPolicy({ ...SETTINGS, dns_servers: [names.address] });
  names.answer('rebinding.test', '93.184.216.34', '127.0.0.1');
  assert.equal(await policy.admit({ host: 'rebinding.test', port: 80 }, OWN), { host: '93.184.216.34', port: 80 });
  const second = await policy.admit({ host: 'rebinding.test', port: 80 }, OWN).then(
    () => 'admitted',
    (error: Error) => error.message,
  );
  assert.match(second, /not public/);
  assert.match(
    await policy.admit({ host: 'unknown.test', port: 80 }, OWN).then(
      () => 'admitted',
      (error: Error) => error.message,
    ),
    /no address/,
  );
  await names.close();
});

test('an egress proxy passes bytes to the web server only while it is open', async () => {
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
  assert.is((await ask('own.test', 'hello'))[1], 2, 'not open yet');
  egress.open(OWN);
  assert.is((await ask('own.test', 'hello')).subarray(10).toString(), 'hello');
  assert.is((await ask('other.invalid', 'hello'))[1], 2);
  assert.ok((await ask('own.test', 'x'.repeat(2000))).length < 2010, 'cut off at the limit');
  assert.is((await ask('own.test', 'hello'))[1], 2, 'and closed afterwards');
  egress.close();
  await new Promise((resolve) => echo.close(resolve));
});

test('SOCKS messages are parsed whole and in parts, and anything else is refused', () => {
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

test('screenshots on disk are kept by account and domain, within the limit', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hostkeep-test-'));
  const errors: unknown[] = [];
  const open = (limitBytes = 1000) => new DiskCache(folder, 60_000, limitBytes, (error) => errors.push(error));
  const png = (size: number) => Buffer.concat([Buffer.alloc(size - 12), PNG_END]);
  const disk = open();
  await disk.write(1, 'a.test', 'u1', { png: png(100), takenAt: Date.now() });
  assert.is((await disk.read(1, 'a.test', 'u1'))?.png.length, 100);
  assert.equal([await disk.count(1), await disk.count(2), await open().count(1)], [1, 0, 1]);
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
  assert.equal(readdirSync(join(folder, '1', domainFolder)), [name], 'an incomplete file is removed');
  writeFileSync(file, 'torn');
  assert.is(await open().read(1, 'a.test', 'u1'), undefined);
  await disk.write(1, 'a.test', 'u1', { png: png(100), takenAt: Date.now() - 61_000 });
  assert.is(await disk.read(1, 'a.test', 'u1'), undefined, 'too old');
  await disk.write(1, 'a.test', 'u1', { png: png(100), takenAt: Date.now() + 3_600_000 });
  assert.is(await disk.read(1, 'a.test', 'u1'), undefined, 'dated in the future');
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

test('the order of use survives a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hostkeep-test-'));
  const errors: unknown[] = [];
  const stored = { png: Buffer.concat([Buffer.alloc(388), PNG_END]), takenAt: Date.now() };
  const before = new DiskCache(folder, 60_000, 2000, (error) => errors.push(error));
  for (const url of ['u1', 'u2', 'u3']) await before.write(1, 'a.test', url, stored);
  for (const path of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (path.isFile()) utimesSync(join(path.parentPath, path.name), 1000, stored.takenAt / 1000);
  await before.read(1, 'a.test', 'u2');
  const after = new DiskCache(folder, 60_000, 800, (error) => errors.push(error));
  await after.write(1, 'a.test', 'u4', stored);
  assert.equal(
    (await Promise.all(['u1', 'u2', 'u3', 'u4'].map((url) => after.read(1, 'a.test', url)))).map(
      (each) => each !== undefined,
    ),
    [false, true, false, true],
  );
  assert.equal(errors, []);
  rmSync(folder, { recursive: true });
});

// threat inherited-rights: pictures are decoded in a process that has no rights, no files and no network
test('screenshots are scaled in a process without rights; what is no picture is a 503', async () => {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
  const jobs = jobsIn('/nonexistent');
  const scaler = new Scaler(jobs, user);
  try {
    const png = await sharp({ create: { width: 1280, height: 800, channels: 3, background: '#c81e3c' } })
      .png()
      .toBuffer();
    const { width, height, at } = await pixels(Buffer.from(await scaler.scale(1, png, 320)));
    assert.equal([width, height, at(0.5, 0.5)], [320, 200, '#c81e3c']);
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ');
    const [status = ''] = children
      .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('job-process'))
      .map((pid) => readFileSync(`/proc/${pid}/status`, 'utf8'));
    assert.equal(rightsIn(status), NO_RIGHTS);
    if (user !== undefined) assert.match(status, /^Uid:\s65534\s65534\s65534\s65534$/m);
    for (const broken of [Buffer.from('GIF89a'), png.subarray(0, 100), Buffer.alloc(0)])
      assert.is(
        await scaler.scale(1, broken, 64).then(
          () => 'scaled',
          (error: unknown) => (error instanceof HttpError ? error.code : String(error)),
        ),
        'screenshots_unavailable',
      );
    assert.is((await scaler.scale(1, png, 64)).length > 0, true, 'a fault costs no other picture');
  } finally {
    await Promise.all([scaler.close(), jobs.close()]);
  }
});

test('a client that has the screenshot gets a 304', () => {
  const screenshot = new Screenshot(PNG_END, 0);
  const etag = new Map(screenshot.answer('').headers).get('ETag') ?? '';
  for (const header of ['*', etag, `W/${etag}`, `"a", ${etag}`])
    assert.is(screenshot.answer(header).status, 304, header);
  for (const header of ['', '"a"', etag.slice(1, -1)]) assert.is(screenshot.answer(header).status, undefined, header);
});

// asvs 1.2.2: addresses are percent-encoded and signed
test('the remote URL is filled, encoded, signed and stable for a while', () => {
  const size = { width: 320, refresh: false };
  const request = { target: parseTarget('own.test/a?b=c&d={width}'), ...size };
  assert.is(
    remoteUrl('https://s.test/{domain}?p={path}&w={width}&r={refresh}&{other}', '', request, 0),
    'https://s.test/own.test?p=%2Fa%3Fb%3Dc%26d%3D%7Bwidth%7D&w=320&r=false&{other}',
  );
  const signed = remoteUrl('https://s.test/?u={url}', 'key', { target: parseTarget('own.test'), ...size }, 1000);
  assert.is(
    signed,
    'https://s.test/?u=http%3A%2F%2Fown.test%2F&expires=7200&signature=fd3489630348e64020013abdd5eadb9ce64f09c9a613ccbe424d34901fdbd3e3',
  );
  assert.is(
    remoteUrl('https://s.test/?u={url}', 'key', { target: parseTarget('own.test'), ...size }, 3_599_000),
    signed,
  );
  assert.match(remoteUrl('https://s.test/x', 'key', request, 0), /^https:\/\/s\.test\/x\?expires=7200&signature=/);
});

test('memory and process group are read from /proc', () => {
  assert.is(
    privateBytes('Name:\tchromium\nRssAnon:\t    1024 kB\nRssFile:\t  9999 kB\nRssShmem:\t      16 kB\n'),
    1040 * 1024,
  );
  assert.is(processGroup('12 (chromium ) S (x)) S 1 4711 4711 0 -1'), 4711);
});

test('the browser is started without unsafe flags', () => {
  assert.not.ok(browserFlags({ page_memory_bytes: 2 ** 28 }, true).includes('--no-sandbox'));
  assert.ok(browserFlags({ page_memory_bytes: 2 ** 28 }, false).includes('--no-sandbox'));
  assert.equal(stripUnsafeFlags(['--disable-popup-blocking', '--a', 'about:blank']), ['--a']);
});

test('a program that says nothing in time is told from one that does not run', async () => {
  const script = join(temporaryFolder(), 'browser');
  const failureOf = (printed: string, timeoutMs?: number) => {
    writeFileSync(script, `#!/bin/sh\n${printed}\n`, { mode: 0o755 });
    return browserVersion(script, timeoutMs).catch((error: unknown) => error);
  };
  const silent = await failureOf('sleep 1000', 50);
  assert.instance(silent, NoAnswer);
  assert.match(errorMessage(silent), /browser did not end within 0\.05 s, or was killed$/);
  const broken = await failureOf('echo "no libraries" >&2; exit 127');
  assert.not.instance(broken, NoAnswer);
  assert.is(errorMessage(broken), 'no libraries');
  assert.is(await failureOf('sleep 2; echo Chromium 156.0.1'), 'Chromium 156.0.1', 'a busy node starts it slowly');
  if (process.getuid?.() === 0) {
    assert.throws(() => findBrowserUser('nobody-at-all'), /no user nobody-at-all/);
    assert.equal(findBrowserUser('nobody'), { uid: 65534, gid: 65534 });
  }
});

// threat hostile-page: what others leave in the shared temporary folder does not keep the browser from starting
test('profile folders of dead processes are removed, others stay', async () => {
  const [folder, usual] = [temporaryFolder(), process.env['TMPDIR']];
  process.env['TMPDIR'] = folder;
  try {
    const running = await makeProfile(undefined);
    assert.is(statSync(running).mode & 0o777, 0o700);
    for (const name of ['1:1-stale', '1:1-foreign']) {
      mkdirSync(join(folder, `hostkeep-browser-${name}/deep/er`), { recursive: true });
      writeFileSync(join(folder, `hostkeep-browser-${name}/deep/file`), '');
    }
    writeFileSync(join(folder, 'hostkeep-browser-1:1-file'), '');
    symlinkSync('/etc', join(folder, 'hostkeep-browser-1:1-link'));
    const kept = [basename(running), 'hostkeep-browser-1:1-file', 'hostkeep-browser-1:1-link'];
    if (process.getuid?.() === 0) {
      chownSync(join(folder, 'hostkeep-browser-1:1-foreign'), 61_234, 61_234);
      kept.push('hostkeep-browser-1:1-foreign');
    }
    await makeProfile(undefined); // not kept from it by any of these
    await removeStaleProfiles(undefined, createLog('silent'), new AbortController().signal);
    assert.equal(
      readdirSync(folder)
        .filter((name) => name.startsWith('hostkeep-browser-1:1-'))
        .toSorted(),
      kept.slice(1).toSorted(),
    );
    assert.ok(existsSync(running) && existsSync('/etc/passwd'));
  } finally {
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
  }
});

test('browser messages are read in any pieces; an endless one closes', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = pipeTransport(input, output);
  const messages: string[] = [];
  const closed = new Promise<void>((onclose) =>
    Object.assign(transport, { onclose, onmessage: (message: string) => messages.push(message) }),
  );
  for (const piece of ['{"id":1}\0{"i', 'd":2', '}\0\0', 'é\0']) output.write(piece);
  await until('four messages', () => messages.length === 4);
  assert.equal(messages, ['{"id":1}', '{"id":2}', '', 'é']);
  transport.send('{"id":3}');
  assert.is(String(input.read()), '{"id":3}\0');
  for (let i = 0; i <= 64; i += 1) output.write(Buffer.alloc(1 << 20, 1));
  await closed;
  assert.ok(input.destroyed && output.destroyed);
});

test('a file larger than the disk cache is removed and costs no other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hostkeep-test-'));
  const errors: unknown[] = [];
  const open = (limitBytes: number) => new DiskCache(folder, 60_000, limitBytes, (error) => errors.push(error));
  const files = () => readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('.png')).length;
  const png = (size: number) => Buffer.concat([Buffer.alloc(size - 12), PNG_END]);
  const disk = open(1000);
  for (const [url, size] of [
    ['small', 100],
    ['large', 900],
    ['huge', 1001],
  ] as const)
    await disk.write(1, 'a.test', url, { png: png(size), takenAt: Date.now() });
  await until('two files', () => files() === 2);
  const smaller = open(500);
  assert.is((await smaller.read(1, 'a.test', 'small'))?.png.length, 100);
  await until('one file', () => files() === 1);
  const none = open(0);
  await none.write(1, 'a.test', 'small', { png: png(100), takenAt: Date.now() });
  assert.is(await none.read(1, 'a.test', 'small'), undefined, 'nothing fits into a cache of 0 bytes');
  await until('no file', () => files() === 0);
  assert.equal(errors, []);
  rmSync(folder, { recursive: true });
});

/** A service whose captures fail while `answer` is an error. */
function serviceWith(settings: { failure_seconds: number; memory_cache_bytes: number }, folder: string) {
  const state: { captures: number; answer: Uint8Array | Error } = { captures: 0, answer: PNG_END };
  const service = new ScreenshotService({
    scale: async (_, png) => png,
    capture: async () => {
      state.captures += 1;
      if (state.answer instanceof Error) throw state.answer;
      return state.answer;
    },
    disk: new DiskCache(folder, 60_000, 0, () => undefined),
    domains: new OwnDomains({ list: () => [{ name: 'own.test' }], onChange: () => () => undefined }),
    settings: { ttl_seconds: 60, ...settings },
    log: createLog('silent'),
  });
  const show = (over: Partial<ScreenshotRequest> = {}) =>
    service.show({
      account: { id: 1 } as Account,
      target: parseTarget('own.test'),
      width: 1280,
      refresh: false,
      ...over,
    });
  return { service, state, show };
}

test('a failure is remembered for its time, until a refresh', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hostkeep-test-'));
  for (const [seconds, captures] of [
    [60, 1],
    [0, 3],
  ] as const) {
    const { service, state, show } = serviceWith({ failure_seconds: seconds, memory_cache_bytes: 1000 }, folder);
    state.answer = new HttpError('site_unreachable', 'no answer');
    const attempt = async (over?: Partial<ScreenshotRequest>) =>
      Promise.resolve(show(over)).catch((error: HttpError) => error.code);
    for (let i = 0; i < 3; i += 1) assert.is(await attempt(), 'site_unreachable');
    assert.is(state.captures, captures);
    state.answer = PNG_END;
    const refreshedMs = performance.now();
    assert.ok((await attempt({ refresh: true })) instanceof Screenshot);
    assert.is(state.captures, captures + 1);
    assert.ok((await attempt()) instanceof Screenshot);
    try {
      await show({ refresh: true });
      assert.unreachable();
    } catch (error) {
      assert.is((error as HttpError).code, 'rate_limited');
      const left = 60 - Number((error as HttpError).headers?.['Retry-After']);
      assert.ok(left >= 0 && left <= (performance.now() - refreshedMs) / 1000, `${left} s less than a minute`);
    }
    await service.settle();
  }
  rmSync(folder, { recursive: true });
});

test('screenshots in memory are bounded by bytes, and 0 bytes keep none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hostkeep-test-'));
  for (const [bytes, captures] of [
    [PNG_END.length, 3],
    [2 * PNG_END.length, 2],
    [0, 4],
  ] as const) {
    const { service, state, show } = serviceWith({ failure_seconds: 0, memory_cache_bytes: bytes }, folder);
    for (const path of ['own.test/a', 'own.test/b', 'own.test/b', 'own.test/a']) {
      await show({ target: parseTarget(path) });
      await service.settle();
    }
    assert.is(state.captures, captures, `${bytes} bytes`);
  }
  rmSync(folder, { recursive: true });
});
