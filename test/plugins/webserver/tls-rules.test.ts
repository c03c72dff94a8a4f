import { caddyTls, readServerSite, readTls } from '../../../plugins/webserver/rules/tls-rules.ts';
import * as assert from '../../support/assert.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('webserver-tls-rules');
const AUTHORITY = { directory: 'https://ca.example/dir', contact: 'ops@shop.example', caFile: '/etc/ca.pem' };
const RULE = { certificate: '', authority: AUTHORITY, isForced: false, hasHsts: false, thumbprint: '' };
const PLACE = { domain: 'shop.example', certificate: '/vhosts/hostkeep-1.pem', listen: '443', port: 443 };

test('a rule names a key or an authority, and nothing that means more in a Caddyfile', () => {
  const { certificate: _, ...lacking } = RULE;
  for (const refused of [
    { ...RULE, authority: null },
    { ...RULE, authority: { ...AUTHORITY, directory: 'http://ca.example/dir' } },
    { ...RULE, authority: { ...AUTHORITY, directory: 'https://ca.example/"' } },
    { ...RULE, authority: { ...AUTHORITY, contact: '{$HOME}' } },
    { ...RULE, authority: { ...AUTHORITY, contact: 'a\n}' } },
    { ...RULE, authority: { ...AUTHORITY, caFile: '/a b' } },
    { ...RULE, authority: { ...AUTHORITY, other: '' } },
    { ...RULE, authority: 'https://ca.example/dir' },
    lacking,
  ])
    assert.throws(() => readTls(refused), undefined, JSON.stringify(refused));
  assert.equal(readTls(RULE), RULE);
});

test('Caddy is told from whom to get a certificate, or which one to use', () => {
  const given = { ...RULE, authority: null, hasHsts: true };
  assert.equal(caddyTls(given, PLACE).split('\n\t'), [
    'tls "/vhosts/hostkeep-1.pem" "/vhosts/hostkeep-1.pem"',
    'header Strict-Transport-Security "max-age=31536000"',
  ]);
  const lines = (authority: typeof AUTHORITY) => caddyTls({ ...RULE, authority }, PLACE).split('\n\t');
  assert.equal(lines({ ...AUTHORITY, contact: '', caFile: '' }), [
    ...['tls {', '\tissuer acme {', '\t\tdir "https://ca.example/dir"', '\t}', '}'],
  ]);
  assert.equal(lines(AUTHORITY).slice(3, 5), ['\t\temail "ops@shop.example"', '\t\ttrusted_roots "/etc/ca.pem"']);
});

test('what the site of the server holds means nothing more to nginx', () => {
  const site = { name: 'panel.example', thumbprint: 'a'.repeat(43), url: 'https://panel.example:2083/' };
  for (const refused of [
    { ...site, name: 'panel' },
    { ...site, name: 'panel.example; return 200' },
    { ...site, name: '~.' },
    { ...site, thumbprint: `${'a'.repeat(42)}$` },
    { ...site, thumbprint: `${'a'.repeat(42)}"` },
    { ...site, url: 'https://panel.example/;' },
    { ...site, url: 'https://panel.example/\n}' },
    { ...site, url: '$host' },
    { ...site, other: '' },
    { name: site.name },
    undefined,
    'panel.example',
  ])
    assert.throws(() => readServerSite(refused), undefined, JSON.stringify(refused));
  assert.equal([readServerSite(site), readServerSite(null)], [site, null]);
});
