import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { archivedPart, atDomain, putBack, siteOwner } from '../../../support/carried.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { fetchAnswer } from '../../../support/page.ts';
import { needs } from '../../../support/needs.ts';
import { webServers } from '../../../support/serving.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

await needs('domains', 'webserver');
const test = testSuite('nginx-rules-served');

/** A server with nginx, on which owners of sites write directives. */
async function withNginx(
  use: (house: {
    readonly server: TestServer;
    readonly vhosts: string;
    readonly owner: (username: string) => Promise<{
      readonly root: string;
      readonly ask: Awaited<ReturnType<typeof siteOwner>>;
      readonly set: (rules: string) => Promise<200 | string>;
      readonly page: (path: string) => ReturnType<typeof fetchAnswer>;
    }>;
  }) => Promise<void>,
): Promise<void> {
  const [, start] = webServers().find(([name]) => name === 'nginx') ?? [];
  if (start === undefined) return;
  const serving = await start();
  const server = await TestServer.start({ config: serving.config });
  try {
    await use({
      server,
      vhosts: serving.vhosts,
      owner: async (username) => {
        const ask = await siteOwner(server, username);
        const { filesRoot } = await server.hostkeep.core.accounts.get(username);
        const host = `${username}.example`;
        return {
          ask,
          root: join(filesRoot, host),
          set: async (rules) => {
            const { status, body } = await ask('PUT', `/api/nginx-rules/${host}`, { rules });
            return status === 200 ? 200 : String(body['detail'] ?? body['error']);
          },
          page: (path) => fetchAnswer(serving.port, host, path),
        };
      },
    });
  } finally {
    await server.close();
    await serving.remove();
  }
}

const RULES = `# moved
rewrite ^/old/(.*)$ /new/$1 permanent;
rewrite "^/post-(\\d{1,4})$" /post.html?n=$1 last;
if ($arg_gone = yes) { return 410; }
location /docs/ { try_files $uri $uri.html /docs/start.html; }
location ~* "\\.css$" { expires 1h; }
location ^~ /shut/ { deny all; }
`;

test('nginx serves a site by the directives of its owner, until they are gone', () =>
  withNginx(async ({ owner, server }) => {
    const [ann, bob] = [await owner('ann'), await owner('bob')];
    for (const { root } of [ann, bob]) {
      for (const folder of ['docs', 'shut']) mkdirSync(join(root, folder));
      for (const file of ['index', 'post', 'docs/start', 'docs/a', 'shut/index'])
        writeFileSync(join(root, `${file}.html`), file);
      writeFileSync(join(root, 'a.css'), 'body{}');
    }
    const seen = async ({ page }: typeof ann) => {
      const paths = ['/old/x?y=1', '/post-12', '/?gone=yes', '/docs/a', '/docs/none', '/shut/', '/'];
      return Promise.all(paths.map(async (path) => [(await page(path)).status, (await page(path)).body.slice(0, 12)]));
    };
    const before = await seen(bob);
    assert.is(await ann.set(RULES), 200);
    assert.equal(
      (await seen(ann)).map(([status, body]) => ([200].includes(Number(status)) ? body : status)),
      [301, 'post', 410, 'docs/a', 'docs/start', 403, 'index'],
    );
    assert.is((await ann.page('/a.css')).headers['cache-control'], 'max-age=3600');
    assert.is((await ann.page('/old/x?y=1')).headers['location'], '/new/x?y=1');
    assert.equal(await seen(bob), before, 'the site of another account is served as before');
    const saved = atDomain(await archivedPart<object[]>(server, 'ann', 'nginx-rules'), 'ann', 'bob');
    assert.equal(await putBack(server, 'bob', 'nginx-rules', saved), { missing: [], next: [] });
    const wanted = JSON.stringify(await seen(ann));
    await until('bob is served like ann', async () => JSON.stringify(await seen(bob)) === wanted);
    assert.is(await ann.set(''), 200);
    assert.equal(await seen(ann), before);
    const { lines } = await server.hostkeep.core.events.page(
      (await server.hostkeep.core.accounts.get('ann')).id,
      'nginx',
      0,
      9,
    );
    assert.match(lines[0] ?? '', /User 'ann' changed the nginx directives of ann\.example from IP/);
  }));

// threat half-made-changes: directives that nginx refuses are neither stored nor served, also if it refuses them only at last
test('what nginx refuses is told with its line, and the site is served as before', () =>
  withNginx(async ({ owner, vhosts }) => {
    const { ask, page, root, set } = await owner('ann');
    writeFileSync(join(root, 'index.html'), 'Usual');
    assert.is(await set('if ($arg_x) { return 410; }'), 200);
    assert.is(
      await set('location /a { deny all; }\n\nlocation /a { deny all; }'),
      'line 3: nginx says: duplicate location "/a"',
    );
    assert.is(await set('\nrewrite "^/a(?=b" /c;'), 'line 2: a pattern closes each group that it opens');
    const broken = join(vhosts, 'zz-operator.conf');
    writeFileSync(broken, 'no_such_directive {{{;\n');
    assert.ok(await set('deny all;'));
    writeFileSync(broken, '# nothing\n');
    assert.equal([(await page('/')).body, (await page('/?x=1')).status], ['Usual', 410]);
    const { sites } = (await ask('GET', '/api/nginx-rules')).body;
    assert.equal(sites, [{ domain_url: 'ann.example', rules: 'if ($arg_x) { return 410; }' }]);
  }));

// threat served-secrets: no directive of an owner has a site show the source of a script or a hidden file to who asks for it
test('scripts and hidden files are not shown, in whatever location they are', () =>
  withNginx(async ({ owner }) => {
    const { page, root, set } = await owner('ann');
    for (const file of ['code.php', '.env', 'dump.sql']) {
      mkdirSync(join(root, 'shop'), { recursive: true });
      for (const folder of ['', 'shop']) writeFileSync(join(root, folder, file), 'Secret');
    }
    for (const rules of [
      'location ^~ /shop/ { expires 1d; }',
      'location ~ ^/shop/ { try_files $uri =404; }',
      'location = /shop/code.php { expires 1d; }',
      'location /shop/ { try_files $uri =404; }',
      'if (-f $request_filename) { rewrite ^/shop/(.*)$ /$1 last; }',
    ]) {
      assert.is(await set(rules), 200);
      for (const folder of ['', 'shop/'])
        for (const file of ['code.php', '.env', 'dump.sql'])
          assert.not.match((await page(`/${folder}${file}`)).body, /Secret/, `${rules} at ${folder}${file}`);
    }
  }));

// threat header-injection: what a path holds becomes no header, and the proof of a certificate comes to no rule
test('paths with line breaks and proofs of certificates come to no rule', () =>
  withNginx(async ({ owner }) => {
    const { page, root, set } = await owner('ann');
    const proofs = join(root, '.well-known/acme-challenge');
    mkdirSync(proofs, { recursive: true });
    writeFileSync(join(proofs, 'abc_-9'), 'Proof');
    assert.is(await set('return 302 https://$host$uri;'), 200);
    const split = await page('/a%0d%0aset-cookie:x=1');
    assert.equal([split.status, split.headers['set-cookie']], [404, undefined]);
    assert.equal([(await page('/a')).status, (await page('/.well-known/acme-challenge/abc_-9')).body], [302, 'Proof']);
  }));
