import { readFileSync } from 'node:fs';
import * as assert from '../../support/assert.ts';
import certificates from '../../../plugins/certificates/index.ts';
import type { SiteTls } from '../../../plugins/certificates/site-directives.ts';
import { selfSigned, signedBy, type CertificateFiles } from '../../support/certificate.ts';
import { archivedPart, putBack, putBackLive, refusal, siteOwner } from '../../support/carried.ts';
import { needs } from '../../support/needs.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { NotedWebServer } from '../../support/noted-web-server.ts';
import { testSuite } from '../../support/suite.ts';

const [domains] = await needs('domains');
const test = testSuite('certificates in archives');

const textOf = ({ cert, key }: CertificateFiles) => ({
  certificate: readFileSync(cert, 'utf8'),
  private_key: readFileSync(key, 'utf8'),
});
const authority = selfSigned('Some CA');
const forNames = (names: string, options = {}) => textOf(signedBy(authority, names, options));

test('a certificate comes along with its key, which must fit the domain', async () => {
  const webServer = new NotedWebServer(() => ({ host: '127.0.0.1', port: 80, takesTls: true }));
  const plugins = [domains, certificates, webServer.plugin];
  const [old, fresh] = [await TestServer.start({ plugins }), await TestServer.start({ plugins })];
  const [before, after] = [await siteOwner(old, 'ann'), await siteOwner(fresh, 'ann')];
  const path = '/api/certificates/ann.example';
  const own = forNames('DNS:ann.example');
  assert.is((await before('PUT', path, own)).status, 200);
  assert.is((await before('PATCH', path, { force_https: true, hsts: true })).status, 200);
  const served = webServer.served('ann.example');
  assert.match(served?.pem ?? '', /PRIVATE KEY/);
  const saved = await archivedPart<object[]>(old, 'ann', 'certificates');

  assert.match(await refusal(fresh, 'ann', 'certificates', [{ ...saved[0], sealed: 'x' }]), /sealed is not known/);
  const other = forNames('DNS:other.example');
  for (const [wrong, reason] of [
    [other, /not for ann\.example/],
    [{ private_key: other.private_key }, /not that of the first/],
    [forNames('DNS:ann.example', { hasExpired: true }), /expired on/],
    [{ private_key: 'x' }, /no private key/],
    [{ domain_url: 'other.example' }, /no domain of this name/],
  ] as const) {
    const { missing } = await putBack(fresh, 'ann', 'certificates', [{ ...saved[0], ...wrong }]);
    assert.match(missing.join(), reason);
  }
  assert.match(JSON.stringify((await after('GET', '/api/certificates')).body), /self_signed/);

  assert.equal(await putBack(fresh, 'ann', 'certificates', saved), { missing: [], next: [] });
  assert.equal(webServer.served('ann.example'), served);
  const list = async (ask: typeof after) => (await ask('GET', '/api/certificates')).body;
  assert.equal(await list(after), await list(before));
});

test('an account in use keeps a better certificate than that of before', async () => {
  const webServer = new NotedWebServer(() => ({ host: '127.0.0.1', port: 80, takesTls: true }));
  const server = await TestServer.start({ plugins: [domains, certificates, webServer.plugin] });
  const ann = await siteOwner(server, 'ann');
  const path = '/api/certificates/ann.example';
  const [short, expired] = [forNames('DNS:ann.example'), forNames('DNS:ann.example', { hasExpired: true })];
  assert.is((await ann('PUT', path, short)).status, 200);
  assert.is((await ann('PATCH', path, { force_https: true })).status, 200);
  const [saved] = await archivedPart<object[]>(server, 'ann', 'certificates');
  const pem = () => webServer.served('ann.example')?.pem;
  const isForced = () => (webServer.served('ann.example')?.parts?.['certificates'] as SiteTls | undefined)?.isForced;
  const before = pem();
  assert.is((await ann('PUT', path, forNames('DNS:ann.example'))).status, 200);
  assert.is((await ann('PATCH', path, { force_https: false })).status, 200);
  const better = pem();
  for (const kept of [saved, { ...saved, ...expired }, { ...saved, is_own: false }]) {
    assert.equal((await putBackLive(server, 'ann', 'certificates', [kept])).missing, []);
    assert.equal([pem(), isForced()], [better, true]);
  }
  assert.is((await ann('DELETE', path)).status, 200);
  const { missing } = await putBackLive(server, 'ann', 'certificates', [{ ...saved, ...expired }]);
  assert.match(missing.join(), /expired on/);
  assert.equal((await putBackLive(server, 'ann', 'certificates', [saved])).missing, []);
  assert.is(pem(), before);
});
