/** goaccess counts who has visited a site, from the lines that a real web server has logged. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { Caddy, hasCaddy } from '../../../support/caddy.ts';
import { domainOwner } from '../../../support/domain-owner.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { addressDatabase } from '../../../support/mmdb.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

await needs('domains', 'webserver', 'logs');
const test = testSuite('visitors');
const hasGoaccess = existsSync('/usr/bin/goaccess');
if (!hasGoaccess) reportSkipped('tests with a real goaccess; install it with apt-get install -y goaccess');

interface Counted {
  readonly name: string;
  readonly hits: number;
  readonly visitors: number;
}
interface Visitors {
  readonly error?: string;
  readonly hits: number;
  readonly visitors: number;
  readonly times: readonly unknown[];
  readonly missing: readonly Counted[];
  readonly statuses: readonly Counted[];
  readonly referrers: readonly Counted[];
  readonly countries: readonly Counted[] | null;
}

/** Starts a server with a site, and resolves with what asks for its visitors. */
async function started(config: Record<string, unknown>) {
  const server = await TestServer.start({ config });
  // without scripts, which would answer for what is no file
  await server.hostkeep.core.plans.create('plain', {}, ['domains', 'errors', 'goaccess']);
  const { account, token, domain } = await domainOwner(server, 'ann', { plan: 'plain' });
  writeFileSync(join(account.filesRoot, domain, 'index.html'), 'Welcome'); // goaccess 1.9 counts no visitor who got nothing
  return {
    server,
    domain,
    async count(days = 7): Promise<Visitors> {
      return (await server.ask<Visitors>(`/api/visitors?domain_url=${domain}&days=${days}`, { token })).body;
    },
    async hasLogged(requests: number): Promise<void> {
      await until('the requests are logged', async () => {
        const { body } = await server.ask<{ lines: unknown[] }>(`/api/logs/lines?domain_url=${domain}`, { token });
        return body.lines.length === requests;
      });
    },
    async doctor() {
      return (await server.gathered('doctor')).find(({ name }) => name === 'visitors');
    },
  };
}

const real = (title: string, use: (nginx: Nginx) => Promise<void>) => {
  if (!hasNginx() || !hasGoaccess) return;
  test(title, async () => {
    const nginx = await Nginx.start();
    try {
      await use(nginx);
    } finally {
      await nginx.remove();
    }
  });
};

/** Sends bytes as they are, from an address of this machine. */
const send = (nginx: Nginx, request: string, localAddress = '127.0.0.1') =>
  new Promise<void>((resolve, reject) => {
    connect({ port: nginx.port, host: '127.0.0.1', localAddress }, function (this: ReturnType<typeof connect>) {
      this.write(Buffer.from(request, 'latin1'));
    })
      .on('data', () => undefined)
      .on('close', () => resolve())
      .on('error', reject);
  });

/** By name, because what has as many requests may stand in any order. */
const countsOf = (counted: readonly Counted[] | null) =>
  counted
    ?.map(({ name, hits, visitors }) => [name, hits, visitors])
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));

real('visitors are counted by goaccess, also where requests are hostile', async (nginx) => {
  const { domain, count, hasLogged } = await started({ webserver: nginx.settings });
  assert.is((await count()).hits, 0);
  await nginx.fetch(domain, '/a');
  await nginx.fetch(domain, '/b?x=1');
  await send(nginx, `POST /a HTTP/1.0\r\nHost: ${domain}\r\nContent-Length: 0\r\n\r\n`);
  const head = `HTTP/1.1\r\nHost: ${domain}\r\nConnection: close\r\nUser-Agent: <script>alert(1)</script>\x1b[31m"\\\r\n`;
  await send(nginx, `GET /%22%0a%ff%00<b> ${head}\r\n`);
  for (const from of [domain, `www.${domain}`, 'elsewhere.example'])
    await send(nginx, `GET /c%22%0a%ff ${head}Referer: https://${from}/\r\n\r\n`);
  await hasLogged(6);
  for (const days of [1, 30]) {
    const { hits, missing, statuses, referrers, times } = await count(days);
    assert.equal([hits, times.length], [6, 1]);
    const paths = missing.map(({ name }) => name);
    assert.is(new Set(paths).size, paths.length, 'each page once, whatever the method and the version of HTTP');
    assert.ok(paths.includes('/a'));
    assert.equal(
      statuses.map(({ name, hits: each }) => [name, each]),
      [['404', 6]],
    );
    assert.equal(
      referrers.map(({ name }) => name),
      ['elsewhere.example'],
    );
  }
});

real('visitors have countries by the base that comes with Hostkeep', async (nginx) => {
  const { domain, count, hasLogged, doctor } = await started({ webserver: nginx.settings });
  await nginx.fetch(domain, '/');
  await hasLogged(1);
  const log = join(nginx.folder, 'logs/sites/access.log');
  const line = readFileSync(log, 'latin1');
  // as from visitors whom this machine cannot have
  for (const ip of ['8.8.8.8', '8.8.4.4', '81.2.69.142']) appendFileSync(log, line.replaceAll('127.0.0.1', ip));
  await hasLogged(4);
  assert.equal(countsOf((await count()).countries), [
    ['', 1, 1],
    ['GB', 1, 1],
    ['US', 2, 2],
  ]);
  assert.match((await doctor())?.detail ?? '', /^GoAccess/);
});

real('a base of the operator tells other countries, and none is used in place of a broken one', async (nginx) => {
  const base = join(temporaryFolder(), 'countries.mmdb');
  const config = { webserver: nginx.settings, visitors: { geoip_database: base } };
  const { domain, count, hasLogged, doctor } = await started(config);
  for (const from of ['127.1.0.1', '127.2.0.1', '127.2.0.2', '127.2.0.2', '127.3.0.1'])
    await send(nginx, `GET / HTTP/1.1\r\nHost: ${domain}\r\nConnection: close\r\n\r\n`, from);
  await hasLogged(5);
  assert.is((await count()).error, 'visitors_unavailable', 'there is no such file');
  writeFileSync(base, 'no database');
  assert.is((await count()).error, 'visitors_unavailable');
  const country = (code: string, name: string) => ({ country: { iso_code: code, names: { en: name } } });
  const networks = { '127.1.0.0/16': country('FR', 'France'), '127.2.0.0/16': country('DE', 'Germany') };
  writeFileSync(base, addressDatabase('GeoLite2-Country', networks));
  assert.equal(countsOf((await count()).countries), [
    ['', 1, 1],
    ['DE', 3, 2],
    ['FR', 1, 1],
  ]);
  // visits sites as well
  assert.match((await doctor())?.detail ?? '', /^GoAccess/);
  writeFileSync(base, 'no database');
  const { ok, detail = '' } = (await doctor()) ?? {};
  assert.is(ok, false);
  assert.match(detail, /Unable to open GeoIP2 database/);
});

if (hasCaddy() && hasGoaccess)
  test('visitors are counted from the log of Caddy, too', async () => {
    const caddy = await Caddy.start();
    try {
      const { domain, count, hasLogged } = await started(caddy.config);
      await caddy.fetch(domain, '/');
      await hasLogged(1);
      const { hits, visitors } = await count();
      assert.equal([hits, visitors], [1, 1]);
    } finally {
      await caddy.remove();
    }
  });
