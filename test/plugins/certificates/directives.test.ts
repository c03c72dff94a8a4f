import directives from '../../../plugins/certificates/site-directives.ts';
import * as assert from '../../support/assert.ts';
import { sitePlace } from '../../support/site-place.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('certificates: directives');
const AUTHORITY = { directory: 'https://ca.example/dir', contact: 'ops@shop.example', caFile: '/etc/ca.pem' };
const RULE = { authority: AUTHORITY, isForced: false, hasHsts: false, thumbprint: '' };
const PLACE = sitePlace({ certificate: '/vhosts/hostkeep-1.pem', listenTls: '443', tlsPort: 443 });

test('a rule names an authority, and nothing that means more to a web server', () => {
  const { authority: _, ...lacking } = RULE;
  for (const refused of [
    { ...RULE, authority: { ...AUTHORITY, directory: 'http://ca.example/dir' } },
    { ...RULE, authority: { ...AUTHORITY, directory: 'https://ca.example/"' } },
    { ...RULE, authority: { ...AUTHORITY, contact: '{$HOME}' } },
    { ...RULE, authority: { ...AUTHORITY, contact: 'a\n}' } },
    { ...RULE, authority: { ...AUTHORITY, caFile: '/a b' } },
    { ...RULE, authority: { ...AUTHORITY, other: '' } },
    { ...RULE, authority: 'https://ca.example/dir' },
    { ...RULE, thumbprint: '";}' },
    { ...RULE, thumbprint: `${'a'.repeat(42)}$` },
    { ...RULE, isForced: 1 },
    { ...RULE, certificate: '/etc/ssl/private/other.pem' },
    lacking,
  ])
    assert.throws(() => directives.read(refused), undefined, JSON.stringify(refused));
  for (const given of [RULE, { ...RULE, authority: null, thumbprint: 'a'.repeat(43) }])
    assert.equal(directives.read(given), given);
});

test('Caddy is told from whom to get a certificate, or which one to use', () => {
  assert.equal(
    directives
      .caddy({ ...RULE, hasHsts: true }, PLACE)
      .join()
      .split('\n\t'),
    ['tls "/vhosts/hostkeep-1.pem" "/vhosts/hostkeep-1.pem"', 'header Strict-Transport-Security "max-age=31536000"'],
  );
  const none = sitePlace();
  assert.equal(directives.caddy({ ...RULE, authority: null }, none), []);
  const lines = (authority: typeof AUTHORITY) =>
    directives
      .caddy({ ...RULE, authority }, none)
      .join()
      .split('\n\t');
  assert.equal(lines({ ...AUTHORITY, contact: '', caFile: '' }), [
    ...['tls {', '\tissuer acme {', '\t\tdir "https://ca.example/dir"', '\t}', '}'],
  ]);
  assert.equal(lines(AUTHORITY).slice(3, 5), ['\t\temail "ops@shop.example"', '\t\ttrusted_roots "/etc/ca.pem"']);
});

test('nginx answers over TLS with the file of the site, and only where there is one', () => {
  assert.equal(directives.nginx(RULE, sitePlace()), []);
  const lines = directives.nginx(
    { ...RULE, isForced: true, hasHsts: true },
    { ...PLACE, listenTls: '443;\n    listen [::]:443' },
  );
  assert.is(lines[0], 'listen 443 ssl;\n    listen [::]:443 ssl;');
  assert.is(lines.filter((line) => line.includes('"/vhosts/hostkeep-1.pem"')).length, 2);
  assert.ok(lines.includes('    return 308 https://$host$request_uri;'));
});
