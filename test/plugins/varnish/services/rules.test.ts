/** Tests Varnish before a site together with what else its owner can say of how it is served. */
import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import * as assert from '../../../support/assert.ts';
import { selfSigned, signedBy } from '../../../support/certificate.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx } from '../../../support/nginx.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually } from '../../../support/until.ts';
import { customer, hasVarnish, openHouse } from '../house.ts';

await needs('domains', 'webserver', 'services', 'php', 'certificates', 'site-access', 'webserver-conf');
const test = testSuite('varnish: rules');
const PAGE = `<?php echo hrtime(true), ' ', $_SERVER['HTTPS'] ?? 'plain', ' ', $_SERVER['SERVER_PORT'];`;
const PASSWORD = 'correct horse battery';

interface Secure {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  /** As they came, in pairs. */
  readonly raw: readonly string[];
}

function overTls(port: number, host: string, path = '/', headers = {}): Promise<Secure> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, servername: host, rejectUnauthorized: false, agent: false };
    const sent = get({ ...options, headers: { host, ...headers } }, (response) => {
      let body = '';
      response.on('data', (chunk) => (body += String(chunk)));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body, headers: response.headers, raw: response.rawHeaders }),
      );
    });
    sent.on('error', reject);
  });
}

if (hasVarnish() && hasNginx())
  test('HTTPS, passwords, addresses and headers of a site are as without it', async () => {
    const { nginx, open } = await openHouse();
    const server = await open();
    try {
      const ann = await customer(server, nginx, 'ann');
      const { key, cert } = signedBy(selfSigned('Authority'), `DNS:${ann.domain}`);
      ann.put('index.php', PAGE);
      ann.put('private.php', PAGE);
      await ann.ask('PUT', `/api/certificates/${ann.domain}`, {
        private_key: readFileSync(key, 'utf8'),
        certificate: readFileSync(cert, 'utf8'),
      });
      await ann.ask('PATCH', `/api/certificates/${ann.domain}`, { force_https: true, hsts: true });
      await ann.ask('PUT', `/api/site-settings/${ann.domain}`, {
        headers: [{ name: 'Referrer-Policy', value: 'same-origin' }],
      });
      await ann.ask('PUT', `/api/site-access/${ann.domain}/users`, {
        ...{ path: '/private.php', name: 'jane', password: PASSWORD },
      });
      await ann.turn(true);
      await ann.keep(true);
      const secure = (path?: string, headers?: object) => overTls(nginx.tlsPort, ann.domain, path, headers);
      const hit = await eventually('it is kept', secure, ({ headers }) => headers['x-cache'] === 'HIT');
      assert.match(hit.body, new RegExp(`^\\d+ on ${nginx.tlsPort}$`));
      for (const name of ['strict-transport-security', 'referrer-policy'])
        assert.is(hit.raw.filter((each) => each.toLowerCase() === name).length, 1, name);
      const plain = await ann.get('/a?b');
      assert.equal([plain.status, plain.location], [308, `https://ann.example:${nginx.tlsPort}/a?b`]);
      const authorization = `Basic ${btoa(`jane:${PASSWORD}`)}`;
      assert.is((await secure('/private.php')).status, 401);
      const opened = await secure('/private.php', { authorization });
      assert.equal([opened.status, opened.headers['x-cache']], [200, undefined]);
      assert.is((await secure('/private.php')).status, 401, 'what somebody else saw is not kept');
      await ann.ask('PUT', `/api/site-access/${ann.domain}/blocked`, { addresses: ['127.0.0.1'] });
      await eventually('the address is blocked', secure, ({ status }) => status === 403);
    } finally {
      await server.close();
      await nginx.remove();
    }
  });
