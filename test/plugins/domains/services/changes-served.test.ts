import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { storeOf, TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { fetchPage } from '../../../support/page.ts';
import { webServers, type Serving } from '../../../support/serving.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

await needs('webserver');
const test = testSuite('domains-changed-and-served');
const DOMAIN = 'shop.example';

/** An account with a site on a node that serves through a web server. */
async function open(serving: Serving, data: string) {
  const server = await TestServer.open({ config: serving.config, data });
  await server.hostkeep.core.plans.setFeature('developer', 'php', false); // which would change the file a moment later
  const { account, token } = await server.user('ann');
  const added = await server.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: DOMAIN } });
  assert.is(added.status, 201);
  writeFileSync(join(account.filesRoot, DOMAIN, 'index.html'), 'Welcome');
  mkdirSync(join(account.filesRoot, 'other'));
  writeFileSync(join(account.filesRoot, 'other/index.html'), 'Elsewhere');
  const put = async (what: string, body: object) => {
    const answer = await server.ask(`/api/domains/${DOMAIN}/${what}`, { method: 'PUT', token, body });
    return answer.body['error'] ?? answer.status;
  };
  const alias = async (method: string, name: string) => {
    const path = method === 'POST' ? '/api/aliases' : `/api/aliases/${name}`;
    const body = { domain_url: DOMAIN, alias: name };
    const answer = await server.ask(path, { method, token, ...(method === 'POST' && { body }) });
    return answer.body['error'] ?? answer.status;
  };
  return { server, put, alias, page: (name?: string) => shown(serving, name) };
}

/** What visitors see: the status and what the page says. */
async function shown({ port }: Serving, name = DOMAIN): Promise<string> {
  const { status, body, retryAfter = '' } = await fetchPage(port, name);
  return `${status} ${/This site is suspended|Welcome|Elsewhere/.exec(body)?.[0] ?? ''} ${retryAfter}`.trim();
}
const SUSPENDED = '503 This site is suspended 3600';

function serves(name: string, start: () => Promise<Serving>): void {
  test(`${name} answers for a suspended domain with a page that says so, until it is lifted`, async () => {
    const serving = await start();
    const { server, put, page } = await open(serving, temporaryFolder());
    assert.is(await page(), '200 Welcome');
    assert.is(await put('suspended', { suspended: true }), 200);
    assert.is(await page(), SUSPENDED);
    await server.hostkeep.core.accounts.suspend('ann');
    await server.hostkeep.core.accounts.unsuspend('ann');
    assert.is(await put('docroot', { docroot: 'other' }), 'authentication_required', 'the session ended');
    assert.is(await page(), SUSPENDED);
    await server.close();
    await serving.remove();
  });

  test(`${name} serves another document root at once, also over a suspension`, async () => {
    const serving = await start();
    const { server, put, page } = await open(serving, temporaryFolder());
    assert.is(await put('docroot', { docroot: 'other' }), 200);
    assert.is(await page(), '200 Elsewhere');
    await put('suspended', { suspended: true });
    await put('docroot', { docroot: DOMAIN });
    assert.is(await page(), SUSPENDED);
    await put('suspended', { suspended: false });
    assert.is(await page(), '200 Welcome');
    await server.close();
    await serving.remove();
  });

  test(`nothing changes that ${name} refuses`, async () => {
    const serving = await start();
    const { server, put, page } = await open(serving, temporaryFolder());
    const broken = join(serving.vhosts, 'zz-operator.conf');
    writeFileSync(broken, 'no_such_directive {{{;\n');
    assert.is(await put('docroot', { docroot: 'other' }), 'webserver_failed');
    assert.is(await put('suspended', { suspended: true }), 'webserver_failed');
    writeFileSync(broken, '# nothing\n');
    assert.is(await page(), '200 Welcome');
    for (const docroot of ['with"quote', 'with$dollar', 'with{brace'])
      assert.is(await put('docroot', { docroot }), 'invalid_docroot', docroot);
    assert.is(await page(), '200 Welcome');
    await server.close();
    await serving.remove();
  });

  test(`${name} serves a site at its aliases, also while it is suspended, and no longer once they are removed`, async () => {
    const serving = await start();
    const { server, put, alias, page } = await open(serving, temporaryFolder());
    const nobody = await page('shop-too.example');
    assert.is(await alias('POST', 'shop-too.example'), 201);
    assert.is(await alias('POST', 'läden.example'), 201);
    for (const each of [DOMAIN, 'shop-too.example', 'xn--lden-loa.example'])
      assert.is(await page(each), '200 Welcome', each);
    await put('suspended', { suspended: true });
    assert.is(await page('shop-too.example'), SUSPENDED);
    await put('suspended', { suspended: false });
    assert.is(await alias('DELETE', 'shop-too.example'), 200);
    assert.equal([await page('shop-too.example'), await page('xn--lden-loa.example')], [nobody, '200 Welcome']);
    const broken = join(serving.vhosts, 'zz-operator.conf');
    writeFileSync(broken, 'no_such_directive {{{;\n');
    assert.is(await alias('POST', 'other.example'), 'webserver_failed');
    writeFileSync(broken, '# nothing\n');
    assert.equal([await page('other.example'), await page()], [nobody, '200 Welcome']);
    await server.close();
    await serving.remove();
  });

  // threat half-made-changes: a process that is killed between file and store leaves nothing that the next start does not mend
  test(`a node that starts again has ${name} serve what is stored`, async () => {
    const serving = await start();
    const data = temporaryFolder();
    const { server } = await open(serving, data);
    const file = join(serving.vhosts, `hostkeep-${DOMAIN}.conf`);
    const before = readFileSync(file, 'utf8');
    await server.close();
    // killed after the file was written, and then after the store was
    writeFileSync(file, before.replaceAll(`/ann/${DOMAIN}`, '/ann/other'));
    const second = await TestServer.open({ config: serving.config, data });
    await until('the file follows the store', async () => (await shown(serving)) === '200 Welcome');
    assert.is(readFileSync(file, 'utf8'), before);
    await second.close();
    const store = await storeOf(data);
    await store.write(async (tx) => void (await tx.run("update domains set suspended_at = 1, docroot = 'other'")));
    await store.close();
    const third = await TestServer.open({ config: serving.config, data });
    await until('it is suspended', async () => (await shown(serving)) === SUSPENDED);
    await third.close();
    await serving.remove();
  });
}

for (const [name, start] of webServers()) serves(name, start);
