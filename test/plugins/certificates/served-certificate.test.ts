import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { createServer } from 'node:tls';
import * as assert from '../../support/assert.ts';
import { NotServed, servedCertificate } from '../../../plugins/certificates/issuing/served-certificate.ts';
import { selfSigned, signedBy } from '../../support/certificate.ts';
import { freePort } from '../../support/port.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('certificates: those that are served');
const DOMAIN = 'shop.example';
/** The alert of TLS 1.2 by which Caddy refuses a name that it has no certificate of. */
const INTERNAL_ERROR = Buffer.from('15030300020250', 'hex');

/** What a test opened. */
const opened: Server[] = [];
test.after.each(() => {
  for (const each of opened.splice(0)) each.close();
});
async function portAt(server: Server): Promise<number> {
  opened.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

const look = (tlsPort: number, signal = new AbortController().signal) =>
  servedCertificate({ host: '127.0.0.1', port: 80, tlsPort, name: 'caddy' }, DOMAIN, signal);
/** Resolves with why nothing is served. */
const refusal = async (tlsPort: number, signal?: AbortSignal): Promise<NotServed> => {
  const error = await look(tlsPort, signal).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof NotServed)) throw new Error('something is served', { cause: error });
  return error;
};
const serverWith = ({ cert, key }: ReturnType<typeof selfSigned>) =>
  portAt(createServer({ cert: readFileSync(cert), key: readFileSync(key) }));

test('a web server that is gone, slow or talks nonsense may still have a certificate', async () => {
  const gone = await refusal(await freePort());
  assert.equal([gone.message, gone.isLacking], ['caddy does not answer over TLS (ECONNREFUSED)', false]);
  const closing = await refusal(await portAt(createTcpServer((socket) => socket.destroy())));
  assert.equal([closing.message, closing.isLacking], ['caddy does not answer over TLS (ECONNRESET)', false]);
  const limit = new AbortController();
  const slow = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => limit.abort());
  });
  const late = await refusal(await portAt(slow), limit.signal);
  assert.equal([late.message, late.isLacking], ['caddy does not answer over TLS in time', false]);
});

test('one that refuses the name, or shows a certificate of another, has none', async () => {
  const refusing = createTcpServer((socket) => socket.once('data', () => socket.end(INTERNAL_ERROR)));
  const none = await refusal(await portAt(refusing));
  assert.match(none.message, /^caddy has no certificate yet: .*alert internal error$/);
  const others = [selfSigned(DOMAIN), signedBy(selfSigned('Some CA'), 'DNS:other.example')];
  const shown = await Promise.all(others.map(async (each) => refusal(await serverWith(each))));
  for (const each of [none, ...shown]) assert.is(each.isLacking, true, each.message);
  for (const { message } of shown) assert.match(message, /^caddy has no .* shows one that is not for this name$/);
});

test('what a certificate says is read from the handshake, whoever has issued it', async () => {
  const port = await serverWith(signedBy(selfSigned('Some CA'), `DNS:${DOMAIN},DNS:www.${DOMAIN}`));
  const { names, issuer, validFrom, validTo } = await look(port);
  assert.equal([names, issuer], [[DOMAIN, `www.${DOMAIN}`], 'Some CA']);
  assert.ok(validFrom <= Date.now() && validTo > Date.now());
});
