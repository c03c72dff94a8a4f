/** Caddy gets certificates by itself, from the authority that the settings name, and this server looks at those that it serves. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import type { CertificateEntry } from '../../../../plugins/certificates/schema.ts';
import * as assert from '../../../support/assert.ts';
import { Caddy, hasCaddy } from '../../../support/caddy.ts';
import { domainOwner } from '../../../support/domain-owner.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { hasPebble, Pebble, REFUSED_DOMAIN } from '../../../support/pebble.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

await needs('domains', 'webserver');
const test = testSuite('certificates-caddy');
const DOMAIN = 'shop.example';
const path = `/api/certificates/${DOMAIN}` as const;

/** Resolves with the page of a site, as a client that trusts nobody but the authority; or with why there is none. */
function pageAt(port: number | undefined, ca: string): Promise<string> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, servername: DOMAIN, headers: { host: DOMAIN }, agent: false, ca };
    get(options, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve(`${response.headers['strict-transport-security'] ?? ''}${body}`));
    }).on('error', ({ message }) => resolve(message));
  });
}

if (hasCaddy() && hasPebble()) {
  let caddy: Caddy;
  let pebble: Pebble;
  let server: TestServer;
  /** Has an authority issue for so long. */
  const start = async (validitySeconds?: number) => {
    caddy = await Caddy.start({ takesTls: true });
    pebble = await Pebble.start(caddy.port, validitySeconds, caddy.tlsPort);
    server = await TestServer.start({ config: { ...caddy.config, certificates: pebble.settings } });
  };
  test.after.each(async () => {
    await server.close();
    pebble.remove();
    await caddy.remove();
  });

  const customer = async (domain = DOMAIN) => {
    const ann = await domainOwner(server, 'ann', { domain });
    const entry = async (): Promise<CertificateEntry> => {
      const { certificates, is_issuing } = (await ann.asks('GET /api/certificates', 200)) as {
        certificates: [CertificateEntry];
        is_issuing: boolean;
      };
      assert.is(is_issuing, false, 'this server orders none');
      return certificates[0];
    };
    return { ...ann, entry };
  };
  const gauges = async () =>
    new Map(
      (await server.gathered('metrics')).flatMap(({ name, samples }) =>
        samples.map(({ labels, value }): [string, number] => [`${name} ${labels?.['state'] ?? ''}`.trim(), value]),
      ),
    );

  test('a domain that Caddy gets no certificate of says so, and its owner is told once', async () => {
    await start();
    const ann = await customer(REFUSED_DOMAIN);
    const { state, valid_to, last_error } = await eventually(
      'it is looked at',
      ann.entry,
      (each) => each.last_error !== '',
    );
    assert.equal([state, valid_to], ['web_server', null]);
    assert.match(last_error, /^caddy has no certificate yet: .*alert internal error$/);
    await ann.rows(
      [`PATCH /api/certificates/${REFUSED_DOMAIN}`, { force_https: true }, '409 certificate_required'],
      [`POST /api/certificates/${REFUSED_DOMAIN}/request`, '409 certificates_not_issued'],
    );
    const told = await eventually(
      'its owner is told',
      () => ann.told('got no certificate'),
      ({ length }) => length > 0,
    );
    assert.match(
      told[0] ?? '',
      /The server got no certificate of blocked-domain\.example: caddy has no certificate yet/,
    );
    const { store } = server.hostkeep.core;
    const failures = async () => (await store.get<{ n: number }>('select failures as n from certificates'))?.n ?? 0;
    await store.write((tx) => tx.run('update certificates set try_at = 1'));
    await until('the next look', async () => (await failures()) > 3);
    assert.is((await ann.told('got no certificate')).length, 1);
    assert.is((await gauges()).get('hostkeep_certificates_failing'), 1);
    const doctor = await server.gathered('doctor');
    assert.match(
      doctor.find(({ name }) => name === 'certificates')?.detail ?? '',
      /^0 have expired, and 1 domains lack/,
    );
  });

  test('a certificate that Caddy gets is listed with its issuer and its end', async () => {
    await start();
    const ann = await customer();
    writeFileSync(join(ann.account.filesRoot, DOMAIN, 'index.html'), 'Welcome');
    const vhost = readFileSync(join(caddy.folder, `vhosts/hostkeep-${DOMAIN}.conf`), 'utf8');
    assert.match(vhost, /issuer acme \{\s+dir "https:\/\/localhost:\d+\/dir"\s+email "operator@hostkeep\.example"\s/);
    const root = await pebble.root();
    await until('its certificate', async () => (await pageAt(caddy.tlsPort, root)) === 'Welcome');
    assert.match(await pageAt(caddy.tlsPort, ''), /unable to get|self[- ]signed/);
    const entry = await eventually('it is seen', ann.entry, ({ state }) => state === 'valid');
    assert.match(entry.issuer, /^Pebble Intermediate CA/);
    assert.equal([entry.names, entry.next_order_at, entry.last_error], [[DOMAIN], null, '']);
    const expiry = Date.parse(entry.valid_to ?? '');
    assert.ok(Math.abs(expiry - Date.now() - 90 * 86_400_000) < 3_600_000, entry.valid_to ?? '');
    assert.match((await ann.told('got a certificate'))[0] ?? '', /The server got a certificate of shop\.example from/);
    const measured = await gauges();
    assert.equal(
      ['hostkeep_certificates valid', 'hostkeep_certificates_next_expiry_seconds'].map((name) => measured.get(name)),
      [1, expiry / 1000],
    );
    await ann.asks(`PATCH ${path}`, { force_https: true, hsts: true }, 200);
    assert.is(await pageAt(caddy.tlsPort, root), 'max-age=31536000Welcome');

    await caddy.stop();
    const { store } = server.hostkeep.core;
    await store.write((tx) => tx.run('update certificates set try_at = 1'));
    const gone = await eventually('Caddy is gone', ann.entry, ({ last_error }) => last_error !== '');
    assert.equal(
      [gone.last_error, gone.state, gone.valid_to],
      ['caddy does not answer over TLS (ECONNREFUSED)', 'valid', entry.valid_to],
    );
    await caddy.up();
    await until('it is seen again', async () => (await ann.entry()).last_error === '');
    assert.is((await ann.told('got a certificate')).length, 1, 'it is the same one');

    pebble.down();
    await caddy.stop();
    rmSync(join(caddy.folder, 'data'), { recursive: true });
    await caddy.up();
    await store.write((tx) => tx.run('update certificates set try_at = 1'));
    const lost = await eventually('it is lost', ann.entry, ({ valid_to }) => valid_to === null);
    assert.equal([lost.state, lost.issuer], ['web_server', '']);
    assert.match(lost.last_error, /^caddy has no certificate yet/);
  });

  test('a certificate of Caddy that expires soon is told before, and then has expired', async () => {
    await start(8);
    const ann = await customer();
    const told = await eventually(
      'it is told',
      () => ann.told('expires on'),
      ({ length }) => length > 0,
    );
    assert.match(told[0] ?? '', /The server found that the certificate of shop\.example expires on/);
    await until('it has expired', async () => (await ann.entry()).state === 'expired');
    assert.is((await gauges()).get('hostkeep_certificates expired'), 1);
    assert.is((await ann.told('expires on')).length, 1);
  });
}
