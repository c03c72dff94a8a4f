import * as assert from '../../support/assert.ts';
import directives from '../../../plugins/varnish/site-directives.ts';
import { codeOf } from '../../support/code-of.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('directives of varnish');
const CACHE = { socket: '/run/hostkeep/services/7/varnish.sock', key: 'a'.repeat(64), host: '127.0.0.1', port: 80 };
const PLACE = { accountId: 7, docroot: '/srv/ann', followsNoLinks: false, runsPhp: true };

// threat shell-injection: what comes from foreign hands says no more to nginx than an address, a socket and a key
test('only a socket of the account, an address and a key are taken', async () => {
  const refused = (change: object) => codeOf((async () => directives.read({ ...CACHE, ...change }))());
  for (const change of [
    { socket: '/run/docker.sock' },
    { socket: '/run/7/varnish.sock;} server {' },
    { socket: '/run/../7/varnish.sock' },
    { key: '"; return 200' },
    { key: '' },
    { host: 'example.com' },
    { host: '127.0.0.1;' },
    { port: '80' },
    { port: 0 },
    { more: true },
  ])
    assert.is(await refused(change), 'invalid_request', JSON.stringify(change));
  const of = async (accountId: number) => directives.nginx(directives.read(CACHE), { ...PLACE, accountId });
  assert.is(await codeOf(of(8)), 'invalid_request', "another account's");
  assert.ok((await of(7)).includes(`    proxy_pass http://unix:${CACHE.socket}:$request_uri;`));
});

test('an address of IPv6 stands in brackets, and Caddy has no cache', () => {
  const lines = directives.nginx(directives.read({ ...CACHE, host: '::1' }), PLACE);
  assert.ok(lines.includes('    proxy_pass http://[::1]:80$request_uri;'));
  assert.equal(directives.caddy(CACHE, PLACE), []);
});
