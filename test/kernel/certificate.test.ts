import { once } from 'node:events';
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { errorMessage } from '../../kernel/errors.ts';
import { replaceFile } from '../../kernel/kit/files/atomic-file.ts';
import * as assert from '../support/assert.ts';
import { selfSigned } from '../support/certificate.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testConfig, TestServer } from '../support/hostkeep.ts';
import { freePort } from '../support/port.ts';
import { probePlugin } from '../support/probe.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('certificate');
const [first, second] = [selfSigned('first.test'), selfSigned('second.test')];
const folder = temporaryFolder();
const tls = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
const install = ({ cert, key }: { cert: string; key: string }) => {
  copyFileSync(cert, tls.cert);
  copyFileSync(key, tls.key);
};

async function connection(url: string): Promise<TLSSocket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return socket;
}

const nameOf = (socket: TLSSocket) => String(socket.getPeerCertificate().subject.CN);

/** Resolves with the name in the certificate that a new connection gets. */
async function shown(url: string): Promise<string> {
  const socket = await connection(url);
  const name = nameOf(socket);
  socket.destroy();
  return name;
}

async function ask(socket: TLSSocket, request: string): Promise<string> {
  socket.write(`${request} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const [reply] = (await once(socket, 'data')) as [Buffer];
  return reply.toString('latin1');
}

test('a reload takes a renewed certificate and rejects an unusable one', async () => {
  install(first);
  const server = await TestServer.start({
    plugins: [probePlugin()],
    config: { tls, listen: `127.0.0.1:${await freePort()}`, admin_listen: `127.0.0.1:${await freePort()}` },
  });
  const { hostkeep } = server;
  const { config } = hostkeep.node;
  const urls = [hostkeep.url('user'), hostkeep.url('admin')];
  const open = await Promise.all(urls.map(connection));
  assert.equal(open.map(nameOf), ['first.test', 'first.test']);

  copyFileSync(second.cert, tls.cert);
  const refused = await hostkeep.reconfigure({ ...config, sections: { probe: { word: 'changed' } } }).then(
    () => '',
    (error: Error) => error.message,
  );
  assert.match(refused, /tls\.cert .* cannot be used/, 'the key is of the other one');
  writeFileSync(tls.key, 'no key');
  assert.match(
    await hostkeep.reconfigure(config).then(
      () => '',
      (error: Error) => error.message,
    ),
    /cannot be used/,
  );
  assert.equal(await Promise.all(urls.map(shown)), ['first.test', 'first.test']);
  assert.match(
    await ask(open[0] as TLSSocket, 'GET /probe/open'),
    /200 OK[^]*"hello"/,
    'and nothing else was changed either',
  );

  install(second);
  await hostkeep.reconfigure({ ...config, sections: { probe: { word: 'changed' } } });
  assert.equal(await Promise.all(urls.map(shown)), ['second.test', 'second.test']);
  for (const socket of open)
    assert.match(await ask(socket, 'GET /probe/open'), /200 OK[^]*"changed"/, 'open connections go on');
  const fresh = await Promise.all(urls.map(connection));
  for (const socket of fresh) {
    assert.match(await ask(socket, 'GET /probe/open'), /200 OK[^]*"changed"/);
    assert.match(await ask(socket, 'HEAD /probe/open'), /^HTTP\/1.1 200 OK/);
    assert.match(await ask(socket, 'DELETE /probe/open'), /^HTTP\/1.1 405 [^]*Allow: GET, HEAD/);
    assert.match(await ask(socket, 'GET /nowhere'), /^HTTP\/1.1 404 /);
  }
  assert.match(await ask(fresh[0] as TLSSocket, 'GET /probe/items/1/x'), /200 OK[^]*\{"id":1,"part":"x"\}/);

  install(first);
  await hostkeep.reconfigure(config);
  await hostkeep.reconfigure(config);
  assert.equal(await Promise.all(urls.map(shown)), ['first.test', 'first.test'], 'as often as it takes');
  for (const socket of [...open, ...fresh]) assert.match(await ask(socket, 'GET /probe/open'), /200 OK[^]*"hello"/);
  const ended = [...open, ...fresh].map((socket) => once(socket, 'close'));
  await server.close();
  await Promise.all(ended);
});

test('a host name beside files, or in another form, is refused', () => {
  const refusal = (given: object) => {
    try {
      testConfig(folder, { tls: { cert: '', key: '', host_name: '', hsts_seconds: 0, ...given } });
      return '';
    } catch (error) {
      return errorMessage(error);
    }
  };
  const { cert, key } = first;
  assert.match(refusal({ cert, key, host_name: 'panel.test' }), /host_name needs tls\.cert and tls\.key empty/);
  for (const name of ['panel', 'Panel.test', '-a.test', 'panel.test.', '10.0.0.1 x', 'a"b.test'])
    assert.match(refusal({ host_name: name }), /tls\.host_name/, name);
  assert.is(refusal({ host_name: 'panel.test' }), '');
});

test('a host name has a certificate of its own, and a renewed one needs no reload', async () => {
  const data = temporaryFolder();
  const given = { tls: { cert: '', key: '', host_name: 'panel.test', hsts_seconds: 0 } };
  const ports = { listen: `127.0.0.1:${await freePort()}`, admin_listen: `127.0.0.1:${await freePort()}` };
  const start = () =>
    TestServer.start({ plugins: [probePlugin()], data, config: { ...given, ...ports }, certificateMs: 20 });
  const server = await start();
  const file = join(data, 'tls.pem');
  assert.is(statSync(file).mode & 0o777, 0o600);
  const urls = (['user', 'admin'] as const).map((address) => server.hostkeep.url(address));
  const open = await connection(urls[1] as string);
  assert.is(open.getPeerCertificate().subjectaltname, 'DNS:panel.test');
  open.write('GET /probe/open HTTP/1.1\r\nHost: panel.test\r\n\r\n');
  assert.not.match(String(await once(open, 'data')), /^HTTP\/1.1 421 /, 'the address of administrators knows the name');
  const made = readFileSync(file, 'utf8');
  await server.close();
  const again = await start();
  assert.is(readFileSync(file, 'utf8'), made, 'a restart keeps it');

  writeFileSync(file, 'no certificate');
  const pem = [second.key, second.cert].map((each) => readFileSync(each, 'utf8')).join('');
  await replaceFile(file, pem, { mode: 0o600 });
  for (const url of urls) await until('the renewed one', async () => (await shown(url)) === 'second.test');
  await again.close();
});
