import { readFileSync } from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import * as assert from '../../support/assert.ts';
import certificates from '../../../plugins/certificates/index.ts';
import { checkCertificate } from '../../../plugins/certificates/check-certificate.ts';
import { newPrivateKey, signCertificate } from '../../../kernel/kit/net/x509.ts';
import { selfSigned, signedBy, type CertificateFiles } from '../../support/certificate.ts';
import { needs } from '../../support/needs.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { NotedWebServer } from '../../support/noted-web-server.ts';
import { testSuite } from '../../support/suite.ts';

const [domains] = await needs('domains');
const test = testSuite('certificates');
const DOMAIN = 'shop.example';
const path = `/api/certificates/${DOMAIN}`;

const webServer = new NotedWebServer(() => ({ host: '127.0.0.1', port: 80, takesTls: true }));
/** Returns how the domain is served over TLS. */
const served = () => webServer.served(DOMAIN)?.tls;

const textOf = ({ cert, key }: CertificateFiles) => ({
  certificate: readFileSync(cert, 'utf8'),
  private_key: readFileSync(key, 'utf8'),
});
const authority = selfSigned('Some CA');
const own = textOf(signedBy(authority, `DNS:${DOMAIN},DNS:www.${DOMAIN}`));
const other = textOf(signedBy(authority, 'DNS:other.example'));
const expired = textOf(signedBy(authority, `DNS:${DOMAIN}`, { hasExpired: true }));
const smallKey = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
});

test('a certificate must fit its key, its issuers, its name and the time', () => {
  const check = (certificate: string, key: string) => checkCertificate(certificate, key, [DOMAIN], Date.now());
  const ca = textOf(authority).certificate;
  assert.equal(check(own.certificate + ca, own.private_key).names, [DOMAIN, `www.${DOMAIN}`]);
  assert.is(check(own.certificate, own.private_key).issuer, 'Some CA');
  for (const [certificate, key, reason] of [
    ['', own.private_key, /no certificate/],
    ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', own.private_key, /cannot be read/],
    [own.certificate.repeat(11), own.private_key, /more than 10/],
    [own.certificate, 'x', /no private key/],
    [own.certificate, '-----BEGIN ENCRYPTED PRIVATE KEY-----', /passphrase/],
    [own.certificate, String(smallKey), /at least 2048 bits/],
    [own.certificate, other.private_key, /not that of the first/],
    [own.certificate + other.certificate, own.private_key, /did not issue/],
    [ca + own.certificate, textOf(authority).private_key, /must be that of the domain/],
    [other.certificate, other.private_key, /not for shop\.example/],
    [expired.certificate, expired.private_key, /expired on/],
  ] as const)
    assert.throws(() => check(certificate, key), reason);
});

let server: TestServer;
test.before(async () => void (server = await TestServer.start({ plugins: [domains, certificates, webServer.plugin] })));
test.after(() => server.close());

async function customer(name: string, domain = DOMAIN) {
  const { account, token } = await server.user(name);
  const ask = (method: string, to: string, body?: unknown) =>
    server.ask(to, { method, token, ...(body !== undefined && { body }) });
  assert.is((await ask('POST', '/api/domains/new', { domain_url: domain })).status, 201);
  return { account, ask, removeDomain: () => ask('POST', '/api/domains/delete', { domain_url: domain }) };
}

// threat leaked-secrets: the private key of a customer is sealed in the store, and in no answer
test('a certificate of its own is served, told without its key, and removed', async () => {
  const { ask, removeDomain, account } = await customer('ann');
  assert.is((await ask('PATCH', path, { force_https: true })).body['error'], 'certificate_required');
  assert.is((await ask('DELETE', path)).body['error'], 'certificate_not_found');
  assert.is((await ask('POST', `${path}/request`)).body['error'], 'certificates_not_issued');
  const refused = await ask('PUT', path, other);
  assert.equal([refused.status, refused.body['error']], [400, 'invalid_certificate']);
  const put = await ask('PUT', path, own);
  assert.equal([put.status, put.body['state'], put.body['is_own']], [200, 'valid', true]);
  assert.not.match(JSON.stringify(put.body), /PRIVATE/);
  assert.is(served()?.pem, own.private_key + own.certificate);
  const { store, events } = server.hostkeep.core;
  const [row] = await store.all<{ sealed: string }>('select sealed from certificates');
  assert.not.match(row?.sealed ?? '', /-----/);
  assert.is((await ask('PATCH', path, { hsts: true })).body['error'], 'certificate_required');
  assert.is((await ask('PATCH', path, { force_https: true, hsts: true })).body['hsts'], true);
  assert.equal([served()?.isForced, served()?.hasHsts], [true, true]);
  webServer.refusesNext = true;
  assert.is((await ask('DELETE', path)).status, 502);
  assert.is(served()?.hasHsts, true, 'nothing is changed that the web server refuses');
  const removed = await ask('DELETE', path);
  assert.equal([removed.body['state'], removed.body['force_https'], served()?.isForced], ['self_signed', false, false]);
  assert.is(served()?.isSelfMade, true);
  const { lines } = await events.page(account.id, 'certificate', 0, 10);
  assert.is(lines.length, 2, lines.join('\n'));
  assert.is((await removeDomain()).status, 200);
});

test('nobody touches the certificate of another account', async () => {
  const ann = await customer('ada');
  await ann.ask('PUT', path, own);
  const { token } = await server.user('bob');
  for (const [method, to, body] of [
    ['PUT', path, own],
    ['PATCH', path, { force_https: true }],
    ['DELETE', path, undefined],
    ['POST', `${path}/request`, undefined],
  ] as const) {
    const answer = await server.ask(to, { method, token, ...(body !== undefined && { body }) });
    assert.equal([answer.status, answer.body['error']], [404, 'domain_not_found'], `${method} ${to}`);
  }
  assert.equal((await server.ask('/api/certificates', { token })).body['certificates'], []);
  await ann.removeDomain();
});

test('browsers are never told to insist on a self-signed certificate', async () => {
  const { ask, removeDomain } = await customer('eve');
  const key = newPrivateKey();
  const names = { subject: DOMAIN, issuer: DOMAIN, hosts: [DOMAIN] };
  const certificate = await signCertificate({ ...names, key, issuerKey: key, days: 30 });
  assert.is((await ask('PUT', path, { certificate, private_key: key })).status, 200);
  assert.is((await ask('PATCH', path, { force_https: true, hsts: true })).body['error'], 'certificate_required');
  assert.is((await ask('PATCH', path, { force_https: true })).body['force_https'], true);
  await removeDomain();
});
