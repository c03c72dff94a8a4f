import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { fetchPage } from '../../../support/page.ts';
import { webServers, type Serving } from '../../../support/serving.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

await needs('domains', 'webserver');
const test = testSuite('site-access-served');
const DOMAIN = 'shop.example';
const PASSWORD = 'correct horse battery';

/** Resolves with the status of a page, and with its first words. */
async function fetchWords(port: number, path: string, user?: string): Promise<string> {
  const headers = user === undefined ? {} : { authorization: `Basic ${btoa(user)}` };
  const { status, body } = await fetchPage(port, DOMAIN, path, { headers });
  return `${status} ${/Secret|Welcome|Sorry/.exec(body)?.[0] ?? ''}`.trim();
}

async function open(serving: Serving, data: string) {
  const server = await TestServer.open({ config: serving.config, data });
  const { account, token } = await server.user('ann');
  const ask = async (path: string, method: string, body?: object) => {
    const answer = await server.ask(path, { method, token, ...(body && { body }) });
    return answer.body['error'] ?? answer.status;
  };
  assert.is(await ask('/api/domains/new', 'POST', { domain_url: DOMAIN }), 201);
  const root = join(account.filesRoot, DOMAIN);
  for (const folder of ['private/deep', 'private-not', 'über uns']) mkdirSync(join(root, folder), { recursive: true });
  for (const file of ['private/index.html', 'private/deep/a.html', 'über uns/a.html'])
    writeFileSync(join(root, file), 'Secret');
  for (const file of ['index.html', 'private-not/index.html']) writeFileSync(join(root, file), 'Welcome');
  const user = (path: string, name = 'jane', password = PASSWORD) =>
    ask(`/api/site-access/${DOMAIN}/users`, 'PUT', { path, name, password });
  return { server, root, ask, user, page: (path: string, as?: string) => fetchWords(serving.port, path, as) };
}

/** Ways to write paths below /private. */
const INSIDE = ['/private/', '/private/index.html', '/private/deep/a.html', '/%70rivate/', '//private//deep/a.html'];
const ALSO = ['/./private/', '/private-not/../private/', '/private/%64eep/a.html', '/x/..//private/deep/a.html'];

function serves(name: string, start: () => Promise<Serving>): void {
  const withSite = async (use: (site: Awaited<ReturnType<typeof open>>, serving: Serving) => Promise<void>) => {
    const serving = await start();
    const site = await open(serving, temporaryFolder());
    try {
      await use(site, serving);
    } finally {
      await site.server.close();
      await serving.remove();
    }
  };

  // threat double-decoding: a protected folder is protected however its path is written
  test(`${name} shows a protected folder to its users alone, however its path is written`, () =>
    withSite(async ({ page, user, ask }, { vhosts }) => {
      assert.is(await page('/private/'), '200 Secret');
      assert.is(await user('/private'), 200);
      assert.is(await user('/private', 'bob', 'other words'), 200);
      for (const path of [...INSIDE, ...ALSO]) {
        assert.not.match(await page(path), /Secret/, path);
        assert.not.match(await page(path, 'jane:wrong'), /Secret/, path);
        assert.not.match(await page(path, 'nobody:'), /Secret/, path);
      }
      assert.equal([await page('/private/'), await page('/private/', 'jane:')], ['401', '401']);
      for (const path of INSIDE) assert.is(await page(path, `jane:${PASSWORD}`), '200 Secret', path);
      assert.is(await page('/private/', 'bob:other words'), '200 Secret');
      assert.equal([await page('/'), await page('/private-not/')], ['200 Welcome', '200 Welcome']);
      const files = readdirSync(vhosts).filter((each) => each.endsWith('.users'));
      assert.is(files.length, 1);
      assert.is(statSync(join(vhosts, files[0] ?? '')).mode & 0o007, 0, 'closed to other users');

      assert.is(await user('/über uns'), 200);
      const other = '/%C3%BCber%20uns/a.html';
      assert.equal([await page(other), await page(other, `jane:${PASSWORD}`)], ['401', '200 Secret']);
      const users = `/api/site-access/${DOMAIN}/users?path=/private&name=`;
      for (const each of ['jane', 'bob']) assert.is(await ask(users + each, 'DELETE'), 200);
      assert.is(await page('/private/'), '200 Secret');
      assert.is(readdirSync(vhosts).filter((each) => each.endsWith('.users')).length, 1, 'what no site names is gone');
    }));

  test(`${name} blocks addresses, and shows a site's own error pages`, () =>
    withSite(async ({ page, ask, root }) => {
      const block = (addresses: string[]) => ask(`/api/site-access/${DOMAIN}/blocked`, 'PUT', { addresses });
      assert.is(await block(['192.0.2.0/24', '2001:db8::1']), 200);
      assert.is(await page('/'), '200 Welcome');
      assert.is(await block(['127.0.0.0/8', '192.0.2.7']), 200);
      assert.is(await page('/'), '403');
      assert.is(await block([]), 200);
      assert.equal([await page('/'), await page('/missing')], ['200 Welcome', '404']);
      writeFileSync(join(root, '404.html'), 'Sorry');
      const pages = { error_pages: [{ status: 404, path: '/404.html' }] };
      assert.is(await ask(`/api/site-access/${DOMAIN}/error-pages`, 'PUT', pages), 200);
      assert.equal([await page('/missing'), await page('/')], ['404 Sorry', '200 Welcome']);
      rmSync(join(root, '404.html'));
      assert.is(await page('/missing'), '404', 'also without the page');
    }));

  // threat half-made-changes: passwords that were lost with their file are served again at the next start
  test(`nothing changes that ${name} refuses, and what was lost is back with the next start`, async () => {
    const serving = await start();
    const data = temporaryFolder();
    const { server, user, page } = await open(serving, data);
    const broken = join(serving.vhosts, 'zz-operator.conf');
    writeFileSync(broken, 'no_such_directive {{{;\n');
    assert.is(await user('/private'), 'webserver_failed');
    writeFileSync(broken, '# nothing\n');
    assert.is(await page('/private/'), '200 Secret');
    const secrets = () => readdirSync(serving.vhosts).filter((each) => each.endsWith('.users'));
    assert.equal(secrets(), []);
    assert.is(await user('/private'), 200);
    await server.close();
    for (const each of secrets()) rmSync(join(serving.vhosts, each));
    const second = await TestServer.open({ config: serving.config, data });
    await until('the passwords are back', async () => (await page('/private/', `jane:${PASSWORD}`)) === '200 Secret');
    assert.is(await page('/private/'), '401');
    await second.close();
    await serving.remove();
  });
}

for (const [name, start] of webServers()) serves(name, start);
