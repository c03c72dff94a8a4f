import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { fetchAnswer } from '../../../support/page.ts';
import { webServers } from '../../../support/serving.ts';
import { testSuite } from '../../../support/suite.ts';

await needs('domains', 'webserver');
const test = testSuite('temporary-links-served');
const DOMAIN = 'shop.example';

/** Resolves with the status of a page, what it holds and what robots are told. */
async function fetchTold(port: number, host: string, path?: string): Promise<string> {
  const { status, body, headers } = await fetchAnswer(port, host, path);
  const says = /Welcome|suspended/.exec(body)?.[0] ?? '';
  return `${status} ${says} ${String(headers['x-robots-tag'] ?? '')}`.trim();
}

for (const [name, start] of webServers())
  test(`${name} shows a site at its temporary link, for people only, until that is removed`, async () => {
    const serving = await start();
    const config = { ...serving.config, 'temporary-links': { preview_domain: 'preview.example.net' } };
    const server = await TestServer.open({ config });
    const { account, token } = await server.user('ann');
    const ask = (path: string, method: string, body?: object) =>
      server.ask<{ url?: string }>(path, { method, token, ...(body && { body }) });
    await ask('/api/domains/new', 'POST', { domain_url: DOMAIN });
    writeFileSync(join(account.filesRoot, DOMAIN, 'index.html'), 'Welcome');
    const { url = '' } = (await ask('/api/temporary-links', 'POST', { domain_url: DOMAIN })).body;
    const { hostname, port } = new URL(url);
    assert.is(port, String(serving.port));
    const page = (host: string, path?: string) => fetchTold(serving.port, host, path);
    assert.equal([await page(hostname), await page(DOMAIN)], ['200 Welcome noindex', '200 Welcome']);
    assert.is(await page(hostname.toUpperCase()), '200 Welcome noindex', 'in any case');
    assert.is(await page(hostname, '/missing'), '404  noindex');
    await ask(`/api/domains/${DOMAIN}/suspended`, 'PUT', { suspended: true });
    assert.match(await page(hostname), /^503 suspended/);
    await ask(`/api/domains/${DOMAIN}/suspended`, 'PUT', { suspended: false });
    assert.is((await ask(`/api/temporary-links/${DOMAIN}`, 'DELETE')).status, 200);
    assert.equal([await page(hostname), await page(DOMAIN)], [await page('nobody.example'), '200 Welcome']);
    await server.close();
    await serving.remove();
  });
