import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import * as assert from '../../../support/assert.ts';
import { definePlugin } from '../../../../kernel/contract/plugin.ts';
import type { SiteRule } from '../../../../kernel/contract/points/web-server-part.ts';
import { selfSigned } from '../../../support/certificate.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const [domains, webserver] = await needs('domains', 'webserver', 'certificates');
const test = testSuite('webserver-tls');
const DOMAIN = 'shop.example';
const THUMBPRINT = 't'.repeat(43);

function newPem(name = DOMAIN): string {
  const { cert, key } = selfSigned(name);
  return readFileSync(key, 'utf8') + readFileSync(cert, 'utf8');
}

/** The last domain that a rule was asked for. */
let domainId: number | undefined;

/** A plugin that says how every site answers over TLS. */
function certifier(rule: () => SiteRule) {
  return definePlugin({
    name: 'certifier',
    features: [],
    routes: {},
    setup: () => ({
      handlers: {},
      provides: {
        siteRules: (ids) => {
          [domainId] = ids;
          return new Map(ids.map((id) => [id, rule()]));
        },
      },
    }),
  });
}

/** A rule that the plugin `certificates` renders. */
const over = (pem: string, change: object = {}): SiteRule => ({
  pem,
  parts: { certificates: { isForced: false, hasHsts: false, thumbprint: '', authority: null, ...change } },
});

/** Resolves with what a site answers over TLS: the protocols and the name in its certificate, or why there is no connection. */
function shake(port: number, servername: string, options: object = {}): Promise<string> {
  return new Promise((resolve) => {
    const given = { host: '127.0.0.1', port, servername, rejectUnauthorized: false, ALPNProtocols: ['h2'], ...options };
    const socket = connect(given, () => {
      const { CN } = socket.getPeerCertificate().subject;
      resolve(`${socket.getProtocol()} ${String(socket.alpnProtocol)} ${String(CN)}`);
      socket.destroy();
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(String(code)));
  });
}

if (hasNginx()) {
  let nginx: Nginx;
  test.before(async () => void (nginx = await Nginx.start()));
  test.after(() => nginx.remove());

  const withRule = async (rule: () => SiteRule, use: (served: Served) => Promise<void>) => {
    const plugins = [domains, webserver, certifier(rule)];
    const server = await TestServer.start({ plugins, config: { webserver: nginx.settings } });
    const { account } = await server.user('ann');
    const domain = async (what: string) => {
      const asked = { method: 'POST', token: await server.token(account), body: { domain_url: DOMAIN } };
      return (await server.ask(`/api/domains/${what}`, asked)).status;
    };
    assert.is(await domain('new'), 201);
    writeFileSync(join(account.filesRoot, DOMAIN, 'index.html'), 'Welcome');
    const id = domainId ?? 0;
    const changed = async () => {
      const docroot = `/var/www/html/${DOMAIN}`;
      for (const part of await server.hostkeep.plugins.gather('siteChanged', { id, name: DOMAIN, docroot, account }))
        if (!part.ok) throw part.error;
    };
    await use({ server, domain, changed });
    assert.is(await domain('delete'), 200);
    await server.close();
    assert.equal(keys(), [], 'nothing is left of a removed domain');
  };
  interface Served {
    readonly server: TestServer;
    readonly domain: (what: string) => Promise<number>;
    readonly changed: () => Promise<void>;
  }
  const keys = () => readdirSync(nginx.vhostFolder).filter((name) => name.endsWith('.pem'));
  const location = async (host: string, path = '/') => {
    const { status, location: to = '', body } = await nginx.fetch(host, path);
    return `${status} ${to || body}`;
  };

  // asvs 12.1.1: sites of domains speak TLS 1.2 and 1.3 only
  test('a domain has TLS 1.2, TLS 1.3 and HTTP/2, and strangers get no handshake', () =>
    withRule(
      () => over(pem),
      async () => {
        const weak = { ciphers: 'ALL:@SECLEVEL=0' };
        assert.is(await shake(nginx.tlsPort, DOMAIN), `TLSv1.3 h2 ${DOMAIN}`);
        assert.is(await shake(nginx.tlsPort, DOMAIN, { maxVersion: 'TLSv1.2' }), `TLSv1.2 h2 ${DOMAIN}`);
        assert.match(
          await shake(nginx.tlsPort, DOMAIN, { ...weak, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }),
          /PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|ECONNRESET/,
        );
        assert.match(await shake(nginx.tlsPort, 'other.example'), /UNRECOGNIZED_NAME/);
        const [key = ''] = keys();
        assert.is(statSync(join(nginx.vhostFolder, key)).mode & 0o777, 0o600);
        assert.is(await location(DOMAIN), '200 Welcome');
      },
    ));
  const pem = newPem();

  test('plain HTTP leads to HTTPS, except for the proof of a certificate', () =>
    withRule(
      () => over(pem, { isForced: true, hasHsts: true, thumbprint: THUMBPRINT }),
      async ({ server }) => {
        const to = `:${nginx.tlsPort}/a?b=%20c`;
        assert.is(await location(DOMAIN, '/a?b=%20c'), `308 https://${DOMAIN}${to}`);
        assert.is(await location(`www.${DOMAIN}`, '/a?b=%20c'), `308 https://www.${DOMAIN}${to}`);
        assert.is(await location(DOMAIN, '/.well-known/acme-challenge/to-ken_1'), `200 to-ken_1.${THUMBPRINT}`);
        assert.match(await location(DOMAIN, '/.well-known/acme-challenge/to.ken'), /^404 /);
        await server.hostkeep.core.accounts.suspend('ann');
        const file = join(nginx.vhostFolder, `hostkeep-${DOMAIN}.conf`);
        await until('the suspended page', async () => readFileSync(file, 'utf8').includes('hostkeep-suspended.html'));
        assert.is(await shake(nginx.tlsPort, DOMAIN), `TLSv1.3 h2 ${DOMAIN}`);
        assert.is(await location(DOMAIN, '/.well-known/acme-challenge/to-ken_1'), `200 to-ken_1.${THUMBPRINT}`);
        await server.hostkeep.core.accounts.unsuspend('ann');
      },
    ));

  test('another certificate takes the place of one at once, or neither is touched', async () => {
    let current = over(pem);
    await withRule(
      () => current,
      async ({ changed }) => {
        const [before] = keys();
        current = over(newPem('other.example'));
        await changed();
        assert.is(await shake(nginx.tlsPort, DOMAIN), 'TLSv1.3 h2 other.example');
        assert.is(keys().length, 1);
        assert.not.equal(keys(), [before]);
        const [kept] = keys();
        const broken = join(nginx.vhostFolder, 'zz-operator.conf');
        writeFileSync(broken, 'no_such_directive;\n');
        current = over(pem);
        await changed().then(
          () => assert.unreachable(),
          () => undefined,
        );
        rmSync(broken);
        assert.equal(keys(), [kept]);
        assert.is(await shake(nginx.tlsPort, DOMAIN), 'TLSv1.3 h2 other.example');
        current = over(newPem('other.example'));
        rmSync(join(nginx.vhostFolder, kept ?? ''));
        await changed();
        assert.is(keys().length, 1, 'a lost file stops nobody');
      },
    );
  });

  test('a lost key is written again at the start, and one that nobody names goes', async () => {
    const data = temporaryFolder();
    const start = async () =>
      TestServer.start({
        plugins: [domains, webserver, certifier(() => over(pem))],
        config: { webserver: nginx.settings },
        data,
      });
    const first = await start();
    const { token } = await first.user('ann');
    await first.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: DOMAIN } });
    await first.close();
    const [key = ''] = keys();
    rmSync(join(nginx.vhostFolder, key));
    writeFileSync(join(nginx.vhostFolder, `hostkeep-${'0'.repeat(64)}.pem`), '');
    const second = await start();
    await until('the site', async () => (await shake(nginx.tlsPort, DOMAIN)).endsWith(DOMAIN));
    assert.equal(keys(), [key]);
    await second.close();
  });
}
