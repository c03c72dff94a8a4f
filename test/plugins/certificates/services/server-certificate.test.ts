/** The certificate of the server's own addresses, by each web server. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { Caddy, hasCaddy } from '../../../support/caddy.ts';
import { selfSigned, signedBy } from '../../../support/certificate.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { hasPebble, Pebble } from '../../../support/pebble.ts';
import { freePort } from '../../../support/port.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

await needs('domains', 'webserver');
const test = testSuite('server-certificate');
const NAME = 'panel.example';

/** Resolves with whether the server answers over HTTPS, for a client that trusts nobody but an authority. */
const isTrusted = async (port: number, ca: string): Promise<boolean> => (await led(port, ca)) !== undefined;

/** Resolves with where the server leads such a client, empty for nowhere; `undefined` where it does not trust the server. */
const led = (port: number, ca: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const options = { port, host: '127.0.0.1', servername: NAME, headers: { host: NAME }, agent: false, ca };
    get(options, (response) => {
      response.resume();
      resolve(response.headers.location ?? '');
    }).on('error', () => resolve(undefined));
  });

const startNginx = async () => {
  const nginx = await Nginx.start();
  return { webServer: nginx, config: { webserver: nginx.settings } };
};
const startCaddy = async () => {
  const caddy = await Caddy.start({ takesTls: true });
  return { webServer: caddy, config: caddy.config };
};

for (const [webServerName, has, startWebServer] of [
  ['nginx', hasNginx, startNginx],
  ['Caddy', hasCaddy, startCaddy],
] as const)
  if (has() && hasPebble())
    test(`with ${webServerName}, the server proves its own name and renews its certificate`, async () => {
      const { webServer, config } = await startWebServer();
      const pebble = await Pebble.start(webServer.port);
      const [data, port] = [temporaryFolder(), await freePort()];
      const own = { listen: `127.0.0.1:${port}`, tls: { cert: '', key: '', host_name: NAME, hsts_seconds: 0 } };
      let server: TestServer | undefined;
      const start = async (over: object = {}) => {
        const certificates = { ...pebble.settings, ...over };
        const webserver = { ...config.webserver, reconcile_seconds: 1 }; // it learns then of another certificate
        server = await TestServer.start({
          data,
          config: { ...config, webserver, certificates, ...own },
          certificateMs: 20,
        });
        return server;
      };
      const file = join(data, 'tls.pem');
      const pem = () => readFileSync(file, 'utf8');
      const told = async () =>
        (await server?.gathered('doctor'))?.find(({ name }) => name === 'certificate of the server');
      try {
        const unordered = await start({ directory: '' });
        const selfMade = pem();
        assert.match((await told())?.detail ?? '', /^browsers warn of panel\.example, whose [^:]*$/);
        assert.is((await webServer.fetch(NAME)).location, undefined, 'no site is for nothing');
        await unordered.close();

        pebble.down();
        const ordering = await start();
        await until('the failure', async () => /self-signed: the authority/.test((await told())?.detail ?? ''));
        assert.is(pem(), selfMade);
        const { status, location } = await webServer.fetch(NAME, '/login');
        assert.equal([status, location], [302, `https://${NAME}:${port}/`]);
        pebble.up();
        await until('the certificate', () => pem() !== selfMade);
        const { ok, detail } = (await told()) ?? { ok: false, detail: '' };
        assert.equal([ok, detail.startsWith(`DNS:${NAME}, until 20`)], [true, true]);
        assert.is(statSync(file).mode & 0o777, 0o600);
        const root = await pebble.root();
        await until('it is served', () => isTrusted(port, root));
        await until(
          'the web server has it',
          async () => (await led(webServer.tlsPort ?? 0, root)) === `https://${NAME}:${port}/`,
        );
        const expiry = (await ordering.gathered('metrics')).find(({ name }) =>
          name.startsWith('hostkeep_server_certificate'),
        );
        assert.ok(Number(expiry?.samples[0]?.value) * 1000 > Date.now() + 80 * 86_400_000);

        const issued = pem();
        const expired = signedBy(selfSigned('an authority'), `DNS:${NAME}`, { hasExpired: true });
        writeFileSync(file, [expired.key, expired.cert].map((each) => readFileSync(each, 'utf8')).join(''));
        const late = pem();
        await until('the renewal', () => pem() !== late);
        assert.is.not(pem(), issued);
        await ordering.close();

        await start({ directory: '' });
        await until('the site is gone', async () => (await webServer.fetch(NAME, '/login')).location === undefined);
      } finally {
        await server?.close();
        pebble.remove();
        await webServer.remove();
      }
    });
