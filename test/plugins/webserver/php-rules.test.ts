import * as assert from '../../support/assert.ts';
import { caddyPhp, nginxPhp, readSitePhp } from '../../../plugins/webserver/rules/php-rules.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('webserver: php');
const php = {
  socket: '/run/hostkeep/php/7/8.2-0123abcd.sock',
  bodyMib: 64,
  seconds: 30,
  fronts: ['shop.v2/blog', 'shop.v2'],
};

// threat stolen-service: scripts of a site run in processes of its own account
test("a site's scripts run only where its own account has a socket", () => {
  assert.equal(readSitePhp(php, 7), php);
  assert.ok(readSitePhp({ ...php, socket: '/srv/hostkeep/.demo/7/8.2.sock' }, 7)); // in the data folder of a demo
  const sockets = [
    '/run/hostkeep/php/8/8.2-0123abcd.sock',
    '/run/7/../8/a.sock',
    '/run/7/a.sock";',
    '/run/7/a b.sock',
    '/run/7/a.sock\n',
    '/run/7/$uri.sock',
    'run/7/a.sock',
    '/run/7/a',
    '/7//a.sock',
    '/run/./7/a.sock',
    '/../7/a.sock',
    `/run/${'a'.repeat(100)}/7/a.sock`,
  ];
  for (const socket of sockets) assert.throws(() => readSitePhp({ ...php, socket }, 7), undefined, socket);
  const folders = [
    '',
    '/blog',
    'blog/',
    'a//b',
    '..',
    'a/../b',
    '.hidden',
    'a b',
    'a"b',
    'a;b',
    'a$b',
    'a{b',
    'a\nb',
    'ä',
  ];
  for (const folder of [...folders, 'a'.repeat(256)])
    assert.throws(() => readSitePhp({ ...php, fronts: [folder] }, 7), undefined, folder);
  assert.throws(() => readSitePhp({ ...php, fronts: Array.from({ length: 51 }, (_, i) => `blog${i}`) }, 7));
  for (const wrong of [{ bodyMib: 0 }, { seconds: '1' }, { seconds: 1.5 }, { more: 1 }, { bodyMib: 1e9 }])
    assert.throws(() => readSitePhp({ ...php, ...wrong }, 7), undefined, JSON.stringify(wrong));
});

test('what is no file goes to the innermost application in whose folder it would be', () => {
  const rules = nginxPhp(readSitePhp({ ...php, fronts: php.fronts.toReversed() }, 7));
  assert.equal(rules.match(/(?<= )rewrite .*;/g), [
    'rewrite "^/shop\\.v2/blog/" /shop.v2/blog/index.php last;',
    'rewrite "^/shop\\.v2/" /shop.v2/index.php last;',
    'rewrite ^ /index.php last;',
  ]);
  assert.match(nginxPhp({ ...php, fronts: [] }), /try_files \$uri \$uri\/ \/index\.php\?\$args;/);
  const fallbacks = caddyPhp(php, '/srv/ann').match(/(?<=try_files ).*/g);
  assert.equal(
    fallbacks,
    ['/shop.v2/blog', '/shop.v2'].map((path) => `{path} {path}/index.php ${path}/index.php`),
  );
});

test('without PHP the sources are refused, and with it they are run', () => {
  assert.match(nginxPhp(null), /^if \(\$hostkeep_refuses = php\) \{\s+return 404;\s+\}$/);
  assert.match(nginxPhp(php), /fastcgi_pass "unix:\/run\/hostkeep\/php\/7\/8\.2-0123abcd\.sock";/);
  assert.not.match(nginxPhp(php), /return 404/);
  assert.match(nginxPhp(php, '/var/log/sites/error.log'), /error_log "\/var\/log\/sites\/error\.log" crit;/);
  assert.match(caddyPhp(null, '/srv/ann'), /respond @source 404$/);
  assert.match(caddyPhp(php, '/srv/ann'), /php_fastcgi "unix\/\/run\/hostkeep\/php\/7\/8\.2-0123abcd\.sock" \{/);
});
