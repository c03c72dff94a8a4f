import { readFileSync } from 'node:fs';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import * as assert from '../../support/assert.ts';
import certificates from '../../../plugins/certificates/index.ts';
import { checkCertificate } from '../../../plugins/certificates/check-certificate.ts';
import type { SiteTls } from '../../../plugins/certificates/site-directives.ts';
import { newPrivateKey, signCertificate } from '../../../kernel/kit/net/x509.ts';
import { selfSigned, signedBy, type CertificateFiles } from '../../support/certificate.ts';
import { needs } from '../../support/needs.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { NotedWebServer } from '../../support/noted-web-server.ts';
import { domainOwner } from '../../support/domain-owner.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const [domains] = await needs('domains');
const test = testSuite('certificates');
const DOMAIN = 'shop.example';
const path = `/api/certificates/${DOMAIN}` as const;

const webServer = new NotedWebServer(() => ({ host: '127.0.0.1', port: 80, takesTls: true }));
/** Returns how the domain is served over TLS. */
const served = () => webServer.served(DOMAIN)?.parts?.['certificates'] as SiteTls | undefined;
const servedPem = () => webServer.served(DOMAIN)?.pem ?? '';

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

/** Somebody whose domain has the certificate, until they remove it. */
const customer = (name: string) => domainOwner(server, name, { domain: DOMAIN });
const REMOVE = ['POST /api/domains/delete', { domain_url: DOMAIN }, 200] as const;

// threat leaked-secrets: the private key of a customer is sealed in the store, and in no answer
test('a certificate of its own is served, told without its key, and removed', async () => {
  const ann = await customer('ann');
  await ann.rows(
    [`PATCH ${path}`, { force_https: true }, '409 certificate_required'],
    [`DELETE ${path}`, '404 certificate_not_found'],
    [`POST ${path}/request`, '409 certificates_not_issued'],
    [`PUT ${path}`, other, '400 invalid_certificate'],
    [`PUT ${path}`, own, 200, { state: 'valid', is_own: true }, { lacks: 'PRIVATE' }],
  );
  assert.is(servedPem(), own.private_key + own.certificate);
  const [row] = await server.hostkeep.core.store.all<{ sealed: string }>('select sealed from certificates');
  assert.not.match(row?.sealed ?? '', /-----/);
  await ann.rows(
    [`PATCH ${path}`, { hsts: true }, '409 certificate_required'],
    [`PATCH ${path}`, { force_https: true, hsts: true }, 200, { hsts: true }],
  );
  assert.equal([served()?.isForced, served()?.hasHsts], [true, true]);
  webServer.refusesNext = true;
  await ann.asks(`DELETE ${path}`, 502);
  assert.is(served()?.hasHsts, true, 'nothing is changed that the web server refuses');
  await ann.asks(`DELETE ${path}`, 200, { state: 'self_signed', force_https: false });
  const { issuer, subject } = new X509Certificate(servedPem());
  assert.equal([served()?.isForced, issuer === subject], [false, true]);
  const lines = await ann.told('certificate');
  assert.is(lines.length, 2, lines.join('\n'));
  await ann.asks(...REMOVE);
});

test('nobody touches the certificate of another account', async () => {
  const [ann, bob] = [await customer('ada'), await server.user('bob')];
  await ann.asks(`PUT ${path}`, own, 200);
  await bob.rows(
    [`PUT ${path}`, own, '404 domain_not_found'],
    [`PATCH ${path}`, { force_https: true }, '404 domain_not_found'],
    [`DELETE ${path}`, '404 domain_not_found'],
    [`POST ${path}/request`, '404 domain_not_found'],
    ['GET /api/certificates', 200, { certificates: [] }],
  );
  await ann.asks(...REMOVE);
});

test('a certificate that expires soon is told once; metrics count those that have', async () => {
  const { core } = server.hostkeep;
  const [key, DAY_MS] = [newPrivateKey(), 86_400_000];
  const max = await customer('max');
  const put = async (domain: string) => {
    const names = { subject: domain, issuer: domain, hosts: [domain] };
    const certificate = await signCertificate({ ...names, key, issuerKey: key, days: 40 });
    await max.asks(`PUT /api/certificates/${domain}`, { certificate, private_key: key }, 200, { state: 'valid' });
  };
  const add = (domain_url: string) => max.asks('POST /api/domains/new', { domain_url }, 201);
  const expire = (days: number) => {
    const at = Date.now() + days * DAY_MS;
    const change = 'update certificates set valid_from = ?, valid_to = ?';
    return core.store.write((tx) => tx.run(change, at - 40 * DAY_MS, at));
  };
  const told = async (domain: string) =>
    (await max.told('expires on')).filter((line) => line.includes(`certificate of ${domain} `)).length;
  const gauges = async () =>
    (await server.gathered('metrics'))
      .filter(({ name }) => name.startsWith('hostkeep_certificates'))
      .flatMap(({ samples }) => samples.map(({ value }) => value));

  await put(DOMAIN);
  const [valid, expired, failing, next = 0] = await gauges();
  assert.equal([valid, expired, failing], [1, 0, 0]);
  assert.ok(Math.abs(next * 1000 - Date.now() - 40 * DAY_MS) < 2 * DAY_MS);
  await expire(9);
  await add('z.example'); // then all are looked through
  await until('it is told', async () => (await told(DOMAIN)) === 1);
  await put('z.example');
  await expire(-1);
  assert.equal((await gauges()).slice(0, 3), [0, 2, 0]);
  const doctor = await server.gathered('doctor');
  assert.match(doctor.find(({ name }) => name === 'certificates')?.detail ?? '', /^2 have expired/);
  await add('a.example');
  await until('the other is told', async () => (await told('z.example')) === 1);
  assert.is(await told(DOMAIN), 1, 'once');
  await max.asks(...REMOVE);
});

test('browsers are never told to insist on a self-signed certificate', async () => {
  const key = newPrivateKey();
  const names = { subject: DOMAIN, issuer: DOMAIN, hosts: [DOMAIN] };
  const certificate = await signCertificate({ ...names, key, issuerKey: key, days: 30 });
  await (
    await customer('eve')
  ).rows(
    [`PUT ${path}`, { certificate, private_key: key }, 200],
    [`PATCH ${path}`, { force_https: true, hsts: true }, '409 certificate_required'],
    [`PATCH ${path}`, { force_https: true }, 200, { force_https: true }],
    REMOVE,
  );
});

test('an issued certificate that Caddy serves is given up shortly before its end', async () => {
  const caddy = new NotedWebServer(() => ({ host: '127.0.0.1', port: 9, tlsPort: 9, takesTls: true, certifies: true }));
  const node = await TestServer.start({
    plugins: [domains, certificates, caddy.plugin],
    config: { certificates: { check_seconds: 1 } },
  });
  const { asks } = await domainOwner(node, 'ann', { domain: DOMAIN });
  await asks('POST /api/domains/new', { domain_url: 'other.example' }, 201);
  await asks(`PUT ${path}`, own, 200);
  await asks('PUT /api/certificates/other.example', other, 200);
  const { store } = node.hostkeep.core;
  const issued = `update certificates set try_at = 1, is_own = 0 where names like '%${DOMAIN}%'`;
  await store.write((tx) => tx.run(issued));
  await asks('POST /api/domains/new', { domain_url: 'a.example' }, 201);
  const looked = async () => (await store.all("select 1 from certificates where problem <> ''")).length > 0;
  await until('the domains are looked through', looked);
  assert.ok(caddy.served(DOMAIN)?.pem !== undefined, 'it is good for some time');
  await store.write((tx) => tx.run('update certificates set valid_from = 1, valid_to = ?', Date.now() + 86_400_000));
  await until('it is given up', () => caddy.served(DOMAIN)?.pem === undefined);
  assert.ok(caddy.served('other.example')?.pem !== undefined, 'that of the customer stays');
  const state = async (name: string) => {
    const { certificates: all } = (await asks('GET /api/certificates', 200)) as {
      certificates: Record<string, string>[];
    };
    return all.find(({ domain_url: domain }) => domain === name)?.['state'];
  };
  await until('and that is stored', async () => (await state(DOMAIN)) === 'web_server');
  assert.is(await state('other.example'), 'expiring');
});

test('no key reaches a web server without HTTPS, or one that gets certificates itself', async () => {
  for (const [says, isSecure, hasKey] of [
    [{ takesTls: false }, undefined, false],
    [{ takesTls: true, certifies: true }, true, false],
    [{ takesTls: true }, true, true],
  ] as const) {
    const asked = new NotedWebServer(() => ({ host: '127.0.0.1', port: 80, ...says }));
    const node = await TestServer.start({ plugins: [domains, certificates, asked.plugin] });
    const { domain, asks } = await domainOwner(node, 'ann');
    await asks(`PATCH /api/certificates/${domain}`, { force_https: false }, 200);
    const rule = asked.served(domain);
    assert.equal([rule?.isSecure, rule?.pem !== undefined], [isSecure, hasKey], JSON.stringify(says));
  }
});
