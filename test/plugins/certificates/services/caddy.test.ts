/** Caddy gets certificates by itself, from the authority that the settings name. */
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { Caddy, hasCaddy } from '../../../support/caddy.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { hasPebble, Pebble } from '../../../support/pebble.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

await needs('domains', 'webserver');
const test = testSuite('certificates-caddy');
const DOMAIN = 'shop.example';

/** Resolves with the page of a site, as a client that trusts nobody but the authority; or with why there is none. */
function pageAt(port: number | undefined, ca: string): Promise<string> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, servername: DOMAIN, headers: { host: DOMAIN }, agent: false, ca };
    get(options, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve(body));
    }).on('error', ({ message }) => resolve(message));
  });
}

if (hasCaddy() && hasPebble())
  test('Caddy gets the certificate of a domain from the authority of the settings', async () => {
    const caddy = await Caddy.start({ takesTls: true });
    const pebble = await Pebble.start(caddy.port, undefined, caddy.tlsPort);
    const server = await TestServer.start({ config: { ...caddy.config, certificates: pebble.settings } });
    try {
      const { account, token } = await server.user('ann');
      const body = { domain_url: DOMAIN };
      assert.is((await server.ask('/api/domains/new', { method: 'POST', token, body })).status, 201);
      writeFileSync(join(account.filesRoot, DOMAIN, 'index.html'), 'Welcome');
      const vhost = readFileSync(join(caddy.folder, `vhosts/hostkeep-${DOMAIN}.conf`), 'utf8');
      assert.match(vhost, /issuer acme \{\s+dir "https:\/\/localhost:\d+\/dir"\s+email "operator@hostkeep\.example"\s/);
      const root = await pebble.root();
      await until('its certificate', async () => (await pageAt(caddy.tlsPort, root)) === 'Welcome');
      assert.match(await pageAt(caddy.tlsPort, ''), /unable to get|self[- ]signed/);
    } finally {
      await server.close();
      pebble.remove();
      await caddy.remove();
    }
  });
