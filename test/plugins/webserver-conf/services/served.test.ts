import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { fetchAnswer } from '../../../support/page.ts';
import { webServers, type Serving } from '../../../support/serving.ts';
import { testSuite } from '../../../support/suite.ts';

await needs('domains', 'webserver');
const test = testSuite('webserver-conf-served');
const DOMAIN = 'shop.example';

/** A site whose owner changes how it is served. */
async function withSite(
  start: () => Promise<Serving>,
  use: (site: {
    readonly root: string;
    readonly vhosts: string;
    readonly set: (body: object) => Promise<unknown>;
    readonly page: (path: string, body?: Buffer) => ReturnType<typeof fetchAnswer>;
  }) => Promise<void>,
): Promise<void> {
  const serving = await start();
  const server = await TestServer.start({ config: serving.config });
  try {
    await server.hostkeep.core.plans.setFeature('developer', 'php', false); // which has limits of its own
    const { account, token } = await server.user('ann');
    const ask = async (path: string, method: string, body: object) => {
      const answer = await server.ask(path, { method, token, body });
      return answer.body['error'] ?? answer.status;
    };
    assert.is(await ask('/api/domains/new', 'POST', { domain_url: DOMAIN }), 201);
    await use({
      root: join(account.filesRoot, DOMAIN),
      vhosts: serving.vhosts,
      set: (body) => ask(`/api/site-settings/${DOMAIN}`, 'PUT', body),
      page: (path, body) => fetchAnswer(serving.port, DOMAIN, path, body && { method: 'POST', body }),
    });
  } finally {
    await server.close();
    await serving.remove();
  }
}

function serves(name: string, start: () => Promise<Serving>): void {
  test(`${name} serves index files, caching and headers as the owner of a site wants them`, () =>
    withSite(start, async ({ root, set, page }) => {
      mkdirSync(join(root, 'docs'));
      writeFileSync(join(root, 'start.html'), 'Start');
      writeFileSync(join(root, 'index.html'), 'Usual');
      writeFileSync(join(root, 'docs/index.html'), 'Docs');
      writeFileSync(join(root, 'a.css'), 'body{}');
      writeFileSync(join(root, 'a.PNG'), 'picture');
      writeFileSync(join(root, 'a.js'), '1');
      assert.is((await page('/')).body, 'Usual');
      const headers = [
        { name: 'Content-Security-Policy', value: "default-src 'self'; img-src https: data:" },
        { name: 'Permissions-Policy', value: 'geolocation=(self "https://maps.example")' },
        { name: 'X-Note', value: '100% #1 <b>; a=b, c' },
      ];
      const caching = [
        { kind: 'styles', seconds: 3600 },
        { kind: 'images', seconds: 0 },
        { kind: 'pages', seconds: 60 },
      ];
      assert.is(await set({ index_files: ['missing.html', 'start.html'], headers, caching }), 200);
      const first = await page('/');
      assert.is(first.body, 'Start');
      assert.is(first.headers['cache-control'], 'max-age=60');
      for (const { name: header, value } of headers)
        for (const path of ['/', '/a.css', '/missing'])
          assert.is((await page(path)).headers[header.toLowerCase()], value, path);
      const cached = async (path: string) => (await page(path)).headers['cache-control'];
      assert.is((await page('/docs/')).body, 'Docs', 'the usual index files come after');
      assert.equal([await cached('/a.css'), await cached('/a.css?v=2')], ['max-age=3600', 'max-age=3600']);
      assert.equal([await cached('/a.PNG'), await cached('/a.js')], ['no-cache', undefined]);
      assert.is(await cached('/missing.css'), undefined, 'an error is not kept');

      assert.is(await set({ index_files: [], headers: [], caching: [] }), 200);
      const last = await page('/');
      assert.equal([last.body, last.headers['x-note'], last.headers['cache-control']], ['Usual', undefined, undefined]);
    }));

  // threat served-secrets: an index file is refused like any other file that no site serves
  test(`${name} shows no private file, however an owner names it`, () =>
    withSite(start, async ({ root, set, page }) => {
      for (const file of ['dump.sql', 'code.php', 'wp-config.php']) writeFileSync(join(root, file), 'Secret');
      for (const file of ['dump.sql', 'code.php', 'wp-config.php']) {
        assert.is(await set({ index_files: [file] }), 200);
        for (const path of ['/', `/${file}`]) assert.not.match((await page(path)).body, /Secret/, `${file} at ${path}`);
      }
    }));

  // threat half-made-changes: a site is served as before if the web server refuses how its owner wants it
  test(`${name} goes on as before when it refuses a setting`, () =>
    withSite(start, async ({ root, vhosts, set, page }) => {
      writeFileSync(join(root, 'index.html'), 'Usual');
      assert.is(await set({ headers: [{ name: 'X-Note', value: 'one' }] }), 200);
      const broken = join(vhosts, 'zz-operator.conf');
      writeFileSync(broken, 'no_such_directive {{{;\n');
      assert.is(await set({ headers: [{ name: 'X-Note', value: 'two' }] }), 'webserver_failed');
      writeFileSync(broken, '# nothing\n');
      assert.is((await page('/')).headers['x-note'], 'one');
      assert.is(await set({ headers: [{ name: 'X-Note', value: 'three' }] }), 200);
      assert.is((await page('/')).headers['x-note'], 'three');
    }));
}

for (const [name, start] of webServers()) serves(name, start);

/** An nginx that sees files through a mount on which no link is followed. */
async function viewing(): Promise<Serving> {
  const nginx = await Nginx.start();
  const view = join(nginx.folder, 'view', nginx.folder, 'files');
  for (const folder of [join(nginx.folder, 'files'), view]) mkdirSync(folder, { recursive: true });
  execFileSync('mount', ['-o', 'bind,ro,nosymfollow', join(nginx.folder, 'files'), view]);
  process.once('exit', () => spawnSync('umount', ['--lazy', view]));
  const webserver = { ...nginx.settings, files_view: join(nginx.folder, 'view') };
  return {
    port: nginx.port,
    vhosts: nginx.vhostFolder,
    config: { files_root: join(nginx.folder, 'files/{username}'), webserver },
    remove: async () => {
      spawnSync('umount', ['--lazy', view]);
      await nginx.remove();
    },
  };
}

const isRoot = process.getuid?.() === 0;
const listing = webServers().filter(([name]) => name === 'Caddy');
if (hasNginx() && isRoot) listing.push(['nginx', viewing]);
for (const [name, start] of listing)
  // threat served-links: a listed folder tells nothing of what a customer's links lead to
  test(`${name} lists folders, but neither hidden files nor what links lead to`, () =>
    withSite(start, async ({ root, set, page }) => {
      const secret = join(temporaryFolder(), 'of-another');
      mkdirSync(secret);
      writeFileSync(join(secret, 'other.txt'), 'x'.repeat(98_765));
      mkdirSync(join(root, 'files'));
      writeFileSync(join(root, 'files/report.pdf'), 'a report');
      writeFileSync(join(root, 'files/.env'), 'Secret');
      symlinkSync(join(secret, 'other.txt'), join(root, 'files/to-file'));
      symlinkSync(secret, join(root, 'files/to-folder'));
      assert.not.match((await page('/files/')).body, /report/);
      assert.is(await set({ folder_listing: true }), 200);
      const { status, body } = await page('/files/');
      assert.is(status, 200);
      assert.match(body, /report\.pdf/);
      assert.not.match(body, /\.env|98[.,]?765|\b9[68](\.\d+)? ?Ki?B/i);
      for (const path of ['/files/to-folder/', '/files/to-file', '/files/to-folder/other.txt'])
        assert.ok((await page(path)).status >= 400, path);
      writeFileSync(join(root, 'index.html'), 'Usual');
      assert.is((await page('/')).body, 'Usual', 'a folder with an index file is not listed');
      assert.is(await set({ folder_listing: false }), 200);
      assert.not.match((await page('/files/')).body, /report/);
    }));

for (const [name, start] of webServers().filter(([each]) => each === 'nginx')) {
  test(`${name}, where it would follow links, is not asked to list folders`, () =>
    withSite(start, async ({ set }) => {
      assert.is(await set({ folder_listing: true }), 'folder_listing_not_offered');
    }));

  test(`${name} takes requests as large as the owner of a site allows`, () =>
    withSite(start, async ({ root, set, page }) => {
      writeFileSync(join(root, 'index.html'), 'Usual');
      const post = async (mib: number) => (await page('/', Buffer.alloc(mib * 1_048_576))).status;
      assert.equal([await post(0.5), await post(2)], [405, 413]);
      assert.is(await set({ upload_mib: 3 }), 200);
      assert.equal([await post(2), await post(4)], [405, 413]);
      assert.is(await set({ upload_mib: null }), 200);
      assert.is(await post(2), 413);
    }));
}
