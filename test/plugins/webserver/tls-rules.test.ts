import { readOwnSite } from '../../../plugins/webserver/rules/tls-rules.ts';
import * as assert from '../../support/assert.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('webserver-tls-rules');

test('what the site of the server holds means nothing more to nginx', () => {
  const site = {
    ...{ name: 'panel.example', thumbprint: 'a'.repeat(43), url: 'https://panel.example:2083/' },
    certificate: `hostkeep-${'0'.repeat(64)}.pem`,
  };
  for (const refused of [
    { ...site, name: 'panel' },
    { ...site, name: 'panel.example; return 200' },
    { ...site, name: '~.' },
    { ...site, thumbprint: `${'a'.repeat(42)}$` },
    { ...site, thumbprint: `${'a'.repeat(42)}"` },
    { ...site, url: 'https://panel.example/;' },
    { ...site, url: 'https://panel.example/\n}' },
    { ...site, url: '$host' },
    { ...site, certificate: '../tls.pem' },
    { ...site, certificate: `hostkeep-${'0'.repeat(64)}.users` },
    { ...site, other: '' },
    { name: site.name },
    undefined,
    'panel.example',
  ])
    assert.throws(() => readOwnSite(refused), undefined, JSON.stringify(refused));
  assert.equal([readOwnSite(site), readOwnSite(null)], [site, null]);
});
