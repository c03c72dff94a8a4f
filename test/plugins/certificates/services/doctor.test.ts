/** Doctor proves what an order needs, without one. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { Caddy, hasCaddy } from '../../../support/caddy.ts';
import { domainOwner } from '../../../support/domain-owner.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { hasPebble, Pebble } from '../../../support/pebble.ts';
import { testSuite } from '../../../support/suite.ts';

await needs('domains', 'webserver');
const test = testSuite('certificates-doctor');

const found = async (server: TestServer, name: string) => {
  const finding = (await server.gathered('doctor')).find((each) => each.name === name);
  return { ...finding, detail: finding?.detail ?? 'nothing is said' };
};

if (hasNginx() && hasPebble())
  test('nginx proves a domain, but for one that does not include its virtual host', async () => {
    const nginx = await Nginx.start();
    const pebble = await Pebble.start(nginx.port);
    const certificates = { ...pebble.settings, resolvers: ['127.0.0.1:1'] }; // so that nothing is ordered
    const server = await TestServer.start({ config: { webserver: nginx.settings, certificates } });
    /** Restarts nginx with another configuration. */
    const configure = async (change: (text: string) => string) => {
      const file = join(nginx.folder, 'nginx.conf');
      writeFileSync(file, change(readFileSync(file, 'utf8')));
      await nginx.stop();
      await nginx.up();
    };
    const include = 'include vhosts/*.conf;';
    try {
      assert.equal(await found(server, 'proof'), {
        name: 'proof',
        ok: true,
        isUntried: true,
        detail: 'this node has no domain',
      });
      const { domain } = await domainOwner(server, 'ann');
      await configure((text) => text.replace(include, ''));
      const closed = await found(server, 'proof');
      assert.match(
        closed.detail,
        /^nginx does not prove ann\.example: it answers nothing at \/\.well-known\/acme-challenge\/$/,
      );
      assert.equal([closed.ok, closed.isUntried], [false, undefined]);
      assert.match(closed.remedy ?? '', /includes the virtual hosts/);
      const other = `server { listen ${nginx.port}; server_name ${domain}; return 200 "hostkeep.no-thumbprint"; }`;
      await configure((text) => text.replace(/\}\s*$/, `${other} }`));
      assert.match((await found(server, 'proof')).detail, /it answers with 200 at/);
      await configure((text) => text.replace(other, include));
      assert.equal(await found(server, 'proof'), { name: 'proof', ok: true, detail: 'nginx proves ann.example' });
      assert.match((await found(server, 'authority')).detail, /has an account for this server$/);
    } finally {
      await server.close();
      pebble.remove();
      await nginx.remove();
    }
  });

if (hasCaddy() && hasPebble())
  test('doctor tries no proof where Caddy orders by itself, or where nothing is ordered', async () => {
    const caddy = await Caddy.start({ takesTls: true });
    const pebble = await Pebble.start(caddy.port, undefined, caddy.tlsPort);
    try {
      const server = await TestServer.start({ config: { ...caddy.config, certificates: pebble.settings } });
      const { detail, isUntried } = await found(server, 'proof');
      assert.equal([detail, isUntried], ['caddy proves domains by itself', true]);
      await server.close();
      const idle = await TestServer.start({ config: caddy.config });
      assert.is((await found(idle, 'proof')).detail, 'nothing is said');
      assert.is((await found(idle, 'authority')).isUntried, true);
      await idle.close();
    } finally {
      pebble.remove();
      await caddy.remove();
    }
  });
