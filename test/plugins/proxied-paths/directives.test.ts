import * as assert from '../../support/assert.ts';
import directives from '../../../plugins/proxied-paths/site-directives.ts';
import { codeOf } from '../../support/code-of.ts';
import { sitePlace } from '../../support/site-place.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('directives of proxied paths');
const APP = { path: '/app', address: '172.18.0.2', port: 3000, stripsPath: true };
const PLACE = sitePlace({ runsPhp: true });

// threat shell-injection: what comes from foreign hands says no more to a web server than a path and a private address
test('only plain paths and addresses of private networks are taken', async () => {
  const refused = (change: object) => codeOf((async () => directives.read([{ ...APP, ...change }]))());
  for (const change of [
    ...[
      '',
      'app',
      '/app/',
      '//',
      '/a b',
      '/.git',
      '/a/../b',
      '/a;',
      '/a{',
      '/a"',
      '/$a',
      `/${'a'.repeat(255)}`,
      '/ä',
    ].map((path) => ({ path })),
    ...[
      '127.0.0.1',
      '169.254.169.254',
      '172.32.0.1',
      '8.8.8.8',
      '10.0.0.1;',
      'localhost',
      '::1',
      '10.1',
      '192.168.1.1/',
    ].map((address) => ({ address })),
    ...[0, 65_536, 80.5, '80'].map((port) => ({ port })),
    { stripsPath: 1 },
    { more: true },
  ])
    assert.is(await refused(change), 'invalid_request', JSON.stringify(change));
  const many = Array.from({ length: 21 }, (_, i) => ({ ...APP, path: `/p${i}` }));
  assert.is(await codeOf((async () => directives.read(many))()), 'invalid_request');
  for (const change of [{}, { path: '/' }, { path: '/a.b/c_d-e' }, { address: '' }, { address: '192.168.1.2' }])
    assert.equal(directives.read([{ ...APP, ...change }]), [{ ...APP, ...change }]);
});

test('a path without an address answers 502, and none passes the limit of the account', () => {
  const away = { ...APP, address: '' };
  assert.is(directives.nginx([away], PLACE).join('\n').includes('proxy_pass'), false);
  assert.is(directives.nginx([away], PLACE).filter((line) => line.trim() === 'return 502;').length, 1);
  assert.ok(directives.caddy([away], PLACE).includes('error @proxied0 502'));
  const lines = directives.nginx([APP, { ...APP, path: '/', stripsPath: false }], PLACE);
  const passed = lines.filter((line) => line.includes('proxy_pass'));
  assert.equal(
    passed.map((line) => line.trim()),
    ['proxy_pass http://172.18.0.2:3000/;', 'proxy_pass http://172.18.0.2:3000;'],
  );
  assert.is(lines.filter((line) => line.includes('$hostkeep_account 7')).length, passed.length);
});
