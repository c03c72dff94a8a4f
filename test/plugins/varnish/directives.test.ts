import * as assert from '../../support/assert.ts';
import directives from '../../../plugins/varnish/site-directives.ts';
import { codeOf } from '../../support/code-of.ts';
import { sitePlace } from '../../support/site-place.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('directives of varnish');
const CACHE = { socket: '/run/hostkeep/services/7/varnish.sock', secretDigest: 'a'.repeat(22) };
const PLACE = sitePlace({ runsPhp: true });

// threat shell-injection: what comes from foreign hands says no more to nginx than a socket and a digest
test('only a socket of the account and a digest are taken', async () => {
  const refused = (change: object) => codeOf((async () => directives.read({ ...CACHE, ...change }))());
  for (const change of [
    { socket: '/run/docker.sock' },
    { socket: '/run/7/varnish.sock;} server {' },
    { socket: '/run/../7/varnish.sock' },
    { secretDigest: '"; return 200' },
    { secretDigest: '' },
    { more: true },
  ])
    assert.is(await refused(change), 'invalid_request', JSON.stringify(change));
  const of = async (accountId: number) => directives.nginx(directives.read(CACHE), { ...PLACE, accountId });
  assert.is(await codeOf(of(8)), 'invalid_request', "another account's");
  assert.ok((await of(7)).includes(`    proxy_pass http://unix:${CACHE.socket}:$request_uri;`));
  assert.equal(directives.caddy(CACHE, PLACE), []);
});
