import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { fetchPage } from '../../../support/page.ts';
import { webServers, type Serving } from '../../../support/serving.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

await needs('domains', 'webserver');
const test = testSuite('redirects-served');
const DOMAIN = 'shop.example';

/** An account with a domain on a node that serves through a web server. */
class Shop {
  readonly #server: TestServer;
  readonly #port: number;
  readonly #token: string;
  readonly filesRoot: string;

  private constructor(server: TestServer, port: number, token: string, filesRoot: string) {
    this.#server = server;
    this.#port = port;
    this.#token = token;
    this.filesRoot = filesRoot;
  }

  static async open(server: TestServer, port: number): Promise<Shop> {
    const { account, token } = await server.user('ann');
    const shop = new Shop(server, port, token, account.filesRoot);
    assert.is(await shop.domain('new'), 201);
    return shop;
  }

  domain(what: 'new' | 'delete', domain_url = DOMAIN): Promise<number> {
    return this.send('POST', `/api/domains/${what}`, { domain_url });
  }

  async send(method: string, path: string, body: object): Promise<number> {
    return (await this.#server.ask(path, { method, token: this.#token, body })).status;
  }

  /** Resolves with 200, or the code of the error. */
  async lead(to: string | null): Promise<unknown> {
    const body = { main_address: to };
    const { status, body: answer } = await this.#server.ask(`/api/main-addresses/${DOMAIN}`, {
      ...{ method: 'PUT', token: this.#token, body },
    });
    return answer['error'] ?? status;
  }

  /** The addresses of the site, the main one in brackets. */
  async addresses(): Promise<string> {
    const { body } = await this.#server.ask<{ sites: { addresses: string[]; main_address: string | null }[] }>(
      ...(['/api/main-addresses', { token: this.#token }] as const),
    );
    const { addresses = [], main_address: main = null } =
      body.sites.find(({ addresses: [name] }) => name === DOMAIN) ?? {};
    return addresses.map((each) => (each === main ? `[${each}]` : each)).join(' ');
  }

  /** Resolves with the id of the new redirect, or the code of the error. */
  async add(path: string, target: string, more: object = {}): Promise<unknown> {
    const body = { domain_url: DOMAIN, path, target, ...more };
    const added = await this.#server.ask('/api/redirects', { method: 'POST', token: this.#token, body });
    return added.body['redirect_id'] ?? added.body['error'];
  }

  async remove(id: unknown): Promise<number> {
    return (await this.#server.ask(`/api/redirects/${String(id)}`, { method: 'DELETE', token: this.#token })).status;
  }

  async list(): Promise<number> {
    const { body } = await this.#server.ask<{ redirects: unknown[] }>('/api/redirects', { token: this.#token });
    return body.redirects.length;
  }

  /** Where a request is led, with which status. */
  async leads(path: string, host = DOMAIN): Promise<string> {
    const { status, location = '' } = await fetchPage(this.#port, host, path);
    return `${status} ${location}`.trim();
  }
}

function serves(name: string, start: () => Promise<Serving>): void {
  const withShop = async (use: (shop: Shop, serving: Serving) => Promise<void>) => {
    const serving = await start();
    const server = await TestServer.start({ config: serving.config });
    try {
      await use(await Shop.open(server, serving.port), serving);
    } finally {
      await server.close();
      await serving.remove();
    }
  };

  test(`${name} redirects at once, by the longest path, and no longer once removed`, () =>
    withShop(async (shop) => {
      writeFileSync(join(shop.filesRoot, DOMAIN, 'index.html'), 'Welcome');
      const id = await shop.add('/old.php', 'https://new.example/page?x=1#top', { status: 301 });
      assert.is(await shop.leads('/old.php'), '301 https://new.example/page?x=1#top');
      assert.is(await shop.leads('/old.php?y=2'), '301 https://new.example/page?x=1#top');
      assert.is(await shop.leads('/oldxphp'), '404', 'a dot is a dot');
      assert.is(await shop.leads('/old.php/x'), '404');
      await shop.add('/über', '/neu', { status: 307, keep_query: true });
      assert.is(await shop.leads('/%C3%BCber?a=%0d%0aSet-Cookie:x&b'), '307 /neu?a=%0d%0aSet-Cookie:x&b');
      const whole = { match: 'prefix', status: 308, keep_path: true, keep_query: true };
      await shop.add('/blog', 'https://blog.example/', whole);
      assert.is(await shop.leads('/blog'), '308 https://blog.example/');
      assert.is(await shop.leads('/blog/a%20b/?c=d'), '308 https://blog.example/a%20b/?c=d');
      assert.is(await shop.leads('/blogs'), '404');
      await shop.add('/blog/old', '/archive', { match: 'prefix' });
      assert.is(await shop.leads('/blog/old/x?y'), '302 /archive');
      assert.is(await shop.leads('/'), '200');
      assert.is(await shop.remove(id), 200);
      assert.is(await shop.leads('/old.php'), '404');
      assert.is(await shop.leads('/blog/a'), '308 https://blog.example/a');
    }));

  const WWW = `www.${DOMAIN}`;
  const ALIAS = 'shop-too.example';

  test(`${name} leads visitors of a site's other names to its main address`, () =>
    withShop(async (shop) => {
      writeFileSync(join(shop.filesRoot, DOMAIN, 'index.html'), 'Welcome');
      assert.is(await shop.leads('/', WWW), '200', 'www from the first moment');
      assert.is(await shop.send('POST', '/api/aliases', { domain_url: DOMAIN, alias: ALIAS }), 201);
      for (const other of ['new.example', 'www.new.example', '', `x.${DOMAIN}`])
        assert.is(await shop.lead(other), 'invalid_main_address');
      assert.is(await shop.lead(WWW), 200);
      assert.is(await shop.addresses(), `${DOMAIN} [${WWW}] ${ALIAS}`);
      assert.is(await shop.leads('/'), `308 http://${WWW}/`);
      assert.is(await shop.leads('/a%20b/?c=d', `SHOP.example:8080`), `308 http://${WWW}:8080/a%20b/?c=d`);
      assert.is(await shop.leads('/', ALIAS), `308 http://${WWW}/`);
      assert.is(await shop.leads('/', WWW), '200');
      assert.is(await shop.leads('/.well-known/acme-challenge/token'), '404');
      assert.is(await shop.add('/', `https://${WWW}/`, { match: 'prefix' }), 'invalid_redirect', 'leads back');
      assert.is(await shop.lead(DOMAIN), 200);
      assert.equal([await shop.leads('/', WWW), await shop.leads('/')], [`308 http://${DOMAIN}/`, '200']);
      assert.is(await shop.lead(ALIAS), 200);
      assert.is(await shop.send('DELETE', `/api/aliases/${ALIAS}`, {}), 200);
      await until('the name that is gone leads nobody', async () => (await shop.leads('/')) === '200');
      assert.is(await shop.addresses(), `${DOMAIN} ${WWW}`);
    }));

  test(`${name} serves www of a site unless that is a domain of its own`, () =>
    withShop(async (shop) => {
      writeFileSync(join(shop.filesRoot, DOMAIN, 'index.html'), 'Welcome');
      const leads = (path: string) => shop.leads(path, WWW);
      assert.is(await shop.lead(WWW), 200);
      assert.is(await shop.domain('new', WWW), 201);
      writeFileSync(join(shop.filesRoot, WWW, 'own.html'), 'Another site');
      await until('it is served', async () => (await leads('/own.html')) === '200');
      assert.is(await shop.addresses(), DOMAIN);
      await until('nobody is led there', async () => (await shop.leads('/')) === '200');
      assert.is(await shop.domain('delete', WWW), 200);
      await until('the other site has it again', async () => (await leads('/')) === '200');
      assert.is(await leads('/own.html'), '404');
    }));

  // threat header-injection: a redirect keeps of the visitor's address what splits no header and names no host
  test(`${name} leads nobody to a host that the visitor names`, () =>
    withShop(async (shop) => {
      await shop.add('/go', '/', { match: 'prefix', keep_path: true, keep_query: true });
      await shop.add('/out', 'https://new.example', { match: 'prefix', keep_path: true });
      assert.is(await shop.leads('/go/a'), '302 /a');
      assert.is(await shop.leads('/go'), '302 /');
      for (const path of [
        '/go//evil.example',
        '/go/\\evil.example',
        '/go/%0d%0aX:y',
        '/out.evil.example',
        '/out@evil.example',
      ])
        assert.not.match(await shop.leads(path), /^\d+ (\/[/\\]|.*[\r\n]|https:\/\/new\.example[^/])/, path);
      assert.is(await shop.leads('/out/.evil.example'), '302 https://new.example/.evil.example');
    }));

  test(`${name} redirects a whole domain except for the proofs of certificates`, () =>
    withShop(async (shop) => {
      await shop.add('/', 'https://new.example/shop', {
        match: 'prefix',
        status: 301,
        keep_path: true,
        keep_query: true,
      });
      assert.is(await shop.leads('/'), '301 https://new.example/shop');
      assert.is(await shop.leads('/a/b?c'), '301 https://new.example/shop/a/b?c');
      assert.is(await shop.leads('/.well-known/acme-challenge/token'), '404');
      assert.is(await shop.domain('delete'), 200);
      assert.is(await shop.domain('new'), 201);
      assert.equal([await shop.leads('/a'), await shop.list()], ['404', 0]);
    }));

  test(`nothing is stored or served that ${name} refuses`, () =>
    withShop(async (shop, { vhosts }) => {
      const broken = join(vhosts, 'zz-operator.conf');
      writeFileSync(broken, 'no_such_directive {{{;\n');
      assert.is(await shop.add('/a', '/b'), 'webserver_failed');
      writeFileSync(broken, '# nothing\n');
      assert.is(await shop.list(), 0);
      assert.is(await shop.leads('/a'), '404');
    }));

  test(`${name} keeps the redirects of a restarted node, and gets those that were lost`, async () => {
    const serving = await start();
    const data = temporaryFolder();
    const first = await TestServer.start({ config: serving.config, data });
    const shop = await Shop.open(first, serving.port);
    await shop.add('/a', '/b');
    await first.close();
    const file = join(serving.vhosts, `hostkeep-${DOMAIN}.conf`);
    const [text, { mtimeMs }] = [readFileSync(file, 'utf8'), statSync(file)];
    const second = await TestServer.start({ config: serving.config, data });
    assert.is(statSync(file).mtimeMs, mtimeMs, 'the start changed nothing');
    await second.close();
    writeFileSync(file, text.replaceAll('/b"', '/c"'));
    const third = await TestServer.start({ config: serving.config, data });
    await until('the redirect is back', async () => (await shop.leads('/a')) === '302 /b');
    assert.is(readFileSync(file, 'utf8'), text);
    assert.ok(readdirSync(serving.vhosts).includes(`hostkeep-${DOMAIN}.conf`));
    await third.close();
    await serving.remove();
  });
}

for (const [name, start] of webServers()) serves(name, start);
