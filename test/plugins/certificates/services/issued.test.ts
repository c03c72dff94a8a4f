import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { CertificateEntry } from '../../../../plugins/certificates/schema.ts';
import * as assert from '../../../support/assert.ts';
import { selfSigned, signedBy } from '../../../support/certificate.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import { hasPebble, Pebble, REFUSED_DOMAIN } from '../../../support/pebble.ts';

await needs('domains', 'webserver');
const test = testSuite('certificates-issued');
const DOMAIN = 'shop.example';

if (hasNginx() && hasPebble()) {
  let nginx: Nginx;
  let pebble: Pebble;
  test.before(async () => {
    nginx = await Nginx.start();
    pebble = await Pebble.start(nginx.port);
  });
  test.after(async () => {
    pebble.remove();
    await nginx.remove();
  });

  /** What a test opened. */
  const opened: TestServer[] = [];
  test.after.each(async () => {
    for (const each of opened.splice(0)) await each.close();
  });
  const start = async (data?: string, over: object = {}, webserver = nginx.settings) => {
    const server = await TestServer.start({
      config: { webserver, certificates: { ...pebble.settings, ...over } },
      ...(data !== undefined && { data }),
    });
    opened.push(server);
    return server;
  };
  const pems = () => readdirSync(nginx.vhostFolder).filter((name) => name.endsWith('.pem'));

  /** Resolves with the status of a page over HTTPS, as a client that trusts nobody but the authority. */
  const overTls = (host: string, ca: string, port = nginx.tlsPort): Promise<{ status: string; hsts: string }> =>
    new Promise((resolve) => {
      const options = { port, host: '127.0.0.1', servername: host, headers: { host }, agent: false, ca };
      get(options, ({ statusCode, headers }) =>
        resolve({ status: String(statusCode), hsts: headers['strict-transport-security'] ?? '' }),
      ).on('error', ({ code }: NodeJS.ErrnoException) => resolve({ status: String(code), hsts: '' }));
    });

  /** A customer whose account has a domain. */
  class Customer {
    readonly #server: TestServer;
    readonly #token: string;
    private constructor(server: TestServer, token: string) {
      this.#server = server;
      this.#token = token;
    }

    static async with(server: TestServer, domain = DOMAIN): Promise<Customer> {
      const { account, token } = await server.user('ann');
      const customer = new Customer(server, token);
      assert.is(await customer.domain('new', domain), 201);
      writeFileSync(join(account.filesRoot, domain, 'index.html'), 'Welcome');
      return customer;
    }

    async domain(what: 'new' | 'delete', domain_url = DOMAIN): Promise<number> {
      return (await this.ask(`/api/domains/${what}`, 'POST', { domain_url })).status;
    }

    ask<T = Record<string, unknown>>(path: string, method = 'GET', body?: unknown) {
      return this.#server.ask<T>(path, { method, token: this.#token, ...(body !== undefined && { body }) });
    }

    async entry(domain = DOMAIN): Promise<CertificateEntry> {
      const { body } = await this.ask<{ certificates: CertificateEntry[] }>('/api/certificates');
      const found = body.certificates.find((each) => each.domain_url === domain);
      if (found === undefined) throw new Error(`${domain} is not listed`);
      return found;
    }

    async untilState(state: string): Promise<CertificateEntry> {
      await until(`the certificate is ${state}`, async () => (await this.entry()).state === state);
      return this.entry();
    }

    async untilFailed(reason: RegExp, domain = DOMAIN): Promise<void> {
      await until(`the order fails: ${reason}`, async () => reason.test((await this.entry(domain)).last_error));
    }

    set(settings: object, domain = DOMAIN) {
      return this.ask(`/api/certificates/${domain}`, 'PATCH', settings);
    }
  }

  test('a new domain gets a certificate with www, which is forced, renewed and removed', async () => {
    const server = await start();
    const customer = await Customer.with(server);
    const entry = await customer.untilState('valid');
    const root = await pebble.root();
    assert.equal([...entry.names].toSorted(), [DOMAIN, `www.${DOMAIN}`]);
    assert.match(entry.issuer, /^Pebble Intermediate CA/);
    assert.equal(
      [await overTls(DOMAIN, root), await overTls(`www.${DOMAIN}`, root)],
      [
        { status: '200', hsts: '' },
        { status: '200', hsts: '' },
      ],
    );
    assert.equal(
      pems().map((name) => statSync(join(nginx.vhostFolder, name)).mode & 0o777),
      [0o600],
    );

    assert.is((await customer.set({ force_https: true, hsts: true })).status, 200);
    assert.equal(await overTls(DOMAIN, root), { status: '200', hsts: 'max-age=31536000' });
    const { status, location } = await nginx.fetch(DOMAIN, '/a?b');
    assert.equal([status, location], [308, `https://${DOMAIN}:${nginx.tlsPort}/a?b`]);

    const life = Date.parse(entry.valid_to ?? '') - Date.now();
    const left = Date.parse(entry.valid_to ?? '') - Date.parse(entry.next_order_at ?? '');
    assert.ok(left > life * 0.32 && left < life * 0.38, `renewed when ${left / life} of it is left`);
    const { store } = server.hostkeep.core;
    const [before] = pems();
    await store.write((tx) => tx.run('update certificates set try_at = 1'));
    await until('the renewal', async () => pems().length === 1 && pems()[0] !== before);
    assert.equal(await overTls(DOMAIN, root), { status: '200', hsts: 'max-age=31536000' });
    const kept = await store.all<{ sealed: string }>('select sealed from certificates');
    assert.not.match(kept[0]?.sealed ?? '', /BEGIN|PRIVATE/);

    assert.is(await customer.domain('delete'), 200);
    await until('the row has gone', async () => (await store.all('select 1 from certificates')).length === 0);
    await until('its key has gone', async () => pems().length === 0); // the renewal may serve it until it ends
  });

  test('a certificate is for the aliases that lead here as well, once there are some', async () => {
    const server = await start(undefined, { retry_seconds: 0 });
    const customer = await Customer.with(server);
    await customer.untilState('valid');
    await pebble.resolve('elsewhere.example', ['127.0.0.9']);
    for (const alias of ['elsewhere.example', 'shop-too.example'])
      assert.is((await customer.ask('/api/aliases', 'POST', { domain_url: DOMAIN, alias })).status, 201);
    const names = async () => [...(await customer.entry()).names].toSorted();
    await until('the alias is in the certificate', async () => (await names()).includes('shop-too.example'));
    assert.equal(await names(), ['shop-too.example', DOMAIN, `www.${DOMAIN}`].toSorted());
    assert.is((await overTls('shop-too.example', await pebble.root())).status, '200');
    await customer.domain('delete');
  });

  test('many domains may wait for their orders', async () => {
    const warnings: Error[] = [];
    const noted = (warning: Error) => void warnings.push(warning);
    process.on('warning', noted);
    const server = await start(undefined, { parallel: 1 });
    const customer = await Customer.with(server);
    const others = Array.from({ length: 12 }, (_, i) => `shop${i}.example`);
    await Promise.all(others.map((domain) => customer.domain('new', domain)));
    const states = async () =>
      (await customer.ask<{ certificates: CertificateEntry[] }>('/api/certificates')).body.certificates;
    await until('one of them has its certificate', async () =>
      (await states()).some(({ domain_url, state }) => others.includes(domain_url) && state === 'valid'),
    );
    process.off('warning', noted);
    assert.equal(warnings, []);
    await Promise.all([DOMAIN, ...others].map((domain) => customer.domain('delete', domain)));
  });

  test('www that leads elsewhere is left out, and no name without an address is ordered', async () => {
    await pebble.resolve(`www.alone.example`, ['127.0.0.9']);
    const server = await start();
    const customer = await Customer.with(server, 'alone.example');
    await until('the certificate', async () => (await customer.entry('alone.example')).state === 'valid');
    assert.equal((await customer.entry('alone.example')).names, ['alone.example']);
    await customer.domain('delete', 'alone.example');
    await server.close();
    const blind = await start(undefined, { resolvers: ['127.0.0.1:1'] });
    const other = await Customer.with(blind);
    await other.untilFailed(/know no address of shop\.example/);
    assert.is((await other.entry()).state, 'pending');
    assert.is((await other.set({ force_https: true })).body['error'], 'certificate_required');
    await other.domain('delete');
  });

  test('an order that the authority refuses is told, and tried again until it succeeds', async () => {
    const server = await start(undefined, { retry_seconds: 1 });
    const customer = await Customer.with(server, REFUSED_DOMAIN);
    const { core } = server.hostkeep;
    await customer.untilFailed(/rejectedIdentifier|policy/i, REFUSED_DOMAIN);
    await customer.domain('delete', REFUSED_DOMAIN);
    pebble.down();
    assert.is(await customer.domain('new'), 201, 'a domain is added while the authority is down');
    await customer.untilFailed(/the authority does not answer/);
    assert.is((await overTls(DOMAIN, await selfSignedRoot())).status !== '200', true);
    pebble.up();
    await customer.untilState('valid');
    assert.is((await customer.entry()).last_error, '');
    const ann = await core.accounts.byUsername('ann');
    const { lines } = await core.events.page(ann?.id ?? 0, 'got no certificate', 0, 50);
    assert.match(lines[0] ?? '', /The server got no certificate of shop\.example: the authority does not answer/);
    await customer.domain('delete');
  });
  const selfSignedRoot = async () => pebble.root().catch(() => '');

  /** An authority that answers as a test wants, with its settings. */
  const authority = async (answer: (response: ServerResponse) => void) => {
    const issuer = selfSigned('authority of a test');
    const { cert, key } = signedBy(issuer, 'IP:127.0.0.1');
    const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_, response) =>
      answer(response),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const directory = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    return { server, settings: { directory, ca_file: issuer.cert } };
  };

  test('nothing is kept of a domain that is removed while its certificate is ordered', async () => {
    const waiting: ServerResponse[] = [];
    const slow = await authority((response) => void waiting.push(response));
    const server = await start(undefined, { ...slow.settings, parallel: 1 });
    const { store } = server.hostkeep.core;
    const customer = await Customer.with(server);
    await until('it is ordered', () => waiting.length === 1);
    assert.is(await customer.domain('delete'), 200);
    const rows = () => store.all<{ problem: string }>('select problem from certificates');
    await until('the row has gone', async () => (await rows()).length === 0);
    assert.is(await customer.domain('new', 'next.example'), 201);
    waiting[0]?.writeHead(500).end();
    await until('the next one is ordered', () => waiting.length === 2);
    waiting[1]?.writeHead(500).end();
    await until('that has failed', async () => (await rows()).some(({ problem }) => problem !== ''));
    assert.is((await rows()).length, 1);
    const ann = await server.hostkeep.core.accounts.get('ann');
    const { lines } = await server.hostkeep.core.events.page(ann.id, 'got no certificate', 0, 50);
    assert.match(lines.join(), /^[^,]*next\.example[^,]*$/);
    slow.server.close();
  });

  test('an authority that wants a pause gets no order of any domain meanwhile', async () => {
    let asked = 0;
    const { server: busy, settings } = await authority((response) => {
      asked += 1;
      response.writeHead(429, { 'retry-after': '1800', 'content-type': 'application/problem+json' });
      response.end('{"detail":"too many orders"}');
    });
    const server = await start(undefined, settings);
    const customer = await Customer.with(server);
    await customer.untilFailed(/too many orders/);
    const { next_order_at: next } = await customer.entry();
    assert.ok(Date.parse(next ?? '') - Date.now() > 1_700_000, next ?? '');
    const before = asked;
    for (const domain of ['other.example', 'third.example']) assert.is(await customer.domain('new', domain), 201);
    const { store } = server.hostkeep.core;
    await store.write((tx) => tx.run('update certificates set try_at = 1'));
    // what is found to expire is told in the look that could order, too
    await store.write((tx) => tx.run("update certificates set sealed = 'x', valid_from = 1, valid_to = 2"));
    const ann = await server.hostkeep.core.accounts.get('ann');
    const told = async () => (await server.hostkeep.core.events.page(ann.id, 'expires on', 0, 50)).lines;
    await until('the domains are looked through', async () => (await told()).length > 0);
    assert.equal([asked, (await customer.entry('other.example')).last_error], [before, '']);
    busy.close();
  });

  test('a site that does not answer for its name gets no certificate, and says why', async () => {
    await pebble.resolve('elsewhere.example', ['127.0.0.9']);
    const webserver = { ...nginx.settings, listen: `127.0.0.1:${nginx.port}` };
    const server = await start(undefined, { retry_seconds: 3600 }, webserver);
    const customer = await Customer.with(server, 'elsewhere.example');
    await until('the refusal', async () => (await customer.entry('elsewhere.example')).last_error !== '');
    assert.match((await customer.entry('elsewhere.example')).last_error, /elsewhere\.example/);
    assert.is((await customer.entry('elsewhere.example')).state, 'pending');
    const soon = await customer.ask('/api/certificates/elsewhere.example/request', 'POST');
    assert.equal([soon.status, soon.body['error']], [429, 'certificate_too_soon']);
    assert.ok(Number(soon.headers.get('retry-after')) > 600);
    assert.match(String(soon.body['detail']), /: try again in 1\d min$/);
    await customer.domain('delete', 'elsewhere.example');
  });

  test('a suspended site keeps its certificate, and a restart changes nothing', async () => {
    const data = temporaryFolder();
    const first = await start(data);
    const customer = await Customer.with(first);
    await customer.untilState('valid');
    await first.hostkeep.core.accounts.suspend('ann');
    const root = await pebble.root();
    await until('the page', async () => (await overTls(DOMAIN, root)).status === '503');
    const [key] = pems();
    await first.close();
    const second = await start(data);
    assert.equal(pems(), [key]);
    await second.hostkeep.core.store.write((tx) => tx.run('update certificates set try_at = 1'));
    await until('the renewal', async () => pems().length === 1 && pems()[0] !== key);
    assert.is((await overTls(DOMAIN, root)).status, '503');
  });
}
