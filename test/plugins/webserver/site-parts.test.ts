import * as assert from '../../support/assert.ts';
import { schemaDefaults } from '../../../kernel/config/validator.ts';
import { findDriver } from '../../../plugins/webserver/drivers.ts';
import { WebserverConfig } from '../../../plugins/webserver/schema.ts';
import { siteRenderer, type Site } from '../../../plugins/webserver/vhosts/template.ts';
import { needs } from '../../support/needs.ts';
import { testSuite } from '../../support/suite.ts';

await needs('site-access', 'redirects', 'certificates');
const test = testSuite('webserver: parts of sites');

const CERTIFICATE = `hostkeep-${'0'.repeat(64)}.pem`;
const USERS = [{ name: 'jane', hash: `$2b$06$${'a'.repeat(53)}` }];
const redirect = { from: '/old', isPrefix: false, to: '/new', status: 301, keepsPath: false, keepsQuery: false };
const PARTS = {
  redirects: { redirects: [redirect], main: null },
  'site-access': { blocked: ['192.0.2.7'], locks: [{ path: '/private', users: USERS }], errorPages: [] },
  certificates: { isForced: false, hasHsts: true, thumbprint: '', authority: null },
};
const SITE: Site = {
  ...{ domain: 'shop.example', account: { id: 7, username: 'ann' }, components: ['shop'], isSuspended: false },
  ...{ names: [], previews: [], php: null, bodyMib: null, certificate: CERTIFICATE, parts: PARTS },
};

for (const driver of ['nginx', 'caddy'] as const)
  test(`${driver} has who may see a site first, in whatever order parts come`, async () => {
    const found = findDriver({
      ...(schemaDefaults(WebserverConfig) as WebserverConfig),
      driver,
      vhost_folder: '/vhosts',
    });
    assert.ok(found);
    const render = await siteRenderer(found);
    const { content, users } = render(SITE, '/srv/ann');
    const turned = Object.fromEntries(Object.entries(PARTS).toReversed());
    assert.is(render({ ...SITE, parts: turned }, '/srv/ann').content, content);
    const at = ['Strict-Transport-Security', '192.0.2.7', '/+private', '"/new'].map((text) => content.indexOf(text));
    assert.equal(
      at,
      at.toSorted((a, b) => a - b),
      content,
    );
    assert.ok(!at.includes(-1), content);
    const [[name, text] = ['', '']] = users;
    assert.ok(content.includes(`"/vhosts/${name}"`) && !content.includes('jane') && text.startsWith('jane'));

    const suspended = render({ ...SITE, isSuspended: true }, '/srv/ann');
    assert.ok(suspended.content.includes(`"/vhosts/${CERTIFICATE}"`), 'a suspended site answers over TLS');
    assert.not.match(suspended.content, /192\.0\.2\.7|\+private|"\/new/);
    assert.is(suspended.users.size, 0);
    for (const parts of [{ other: {} }, { __proto__: {}, 'a b': 1 }, { redirects: 'x' }])
      assert.throws(() => render({ ...SITE, parts }, '/srv/ann'), undefined, JSON.stringify(parts));
  });
