import { readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

await needs('domains', 'webserver');
const test = testSuite('site-logs');
const OURS = 'shop.example';
const OTHERS = 'bank.example';

/** Sends a request as it is, and resolves with the status. */
function send(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = '';
    connect(port, '127.0.0.1', function (this: ReturnType<typeof connect>) {
      this.write(Buffer.from(request, 'latin1'));
    })
      .on('data', (chunk: Buffer) => (reply += chunk.toString('latin1')))
      .on('close', () => resolve(reply.split(' ')[1] ?? ''))
      .on('error', reject);
  });
}

const request = (target: string, ...headers: string[]) =>
  [`GET ${target} HTTP/1.1`, `Host: ${OURS}`, 'Connection: close', ...headers, '', ''].join('\r\n');

if (hasNginx())
  // threat forged-state: a line of a site's log cannot be forged, nor be made that of another site
  test('a line begins with the name of the site, whatever the request says', async () => {
    const nginx = await Nginx.start();
    const server = await TestServer.start({ config: { webserver: nginx.settings } });
    try {
      await server.hostkeep.core.plans.create('plain', {}, ['domains']); // without scripts, which have a page of their own
      const { token } = await server.user('ann', 'plain');
      for (const domain_url of [OURS, OTHERS])
        await server.ask('/api/domains/new', { method: 'POST', token, body: { domain_url } });
      const forged = encodeURIComponent(
        `\n2026/11/24 16:00:00 [error] 1#1: *1 forged, client: 1.1.1.1, server: ${OTHERS}, request: "GET /"\n`,
      );
      assert.is(await send(nginx.port, request(`/x${forged}`)), '404');
      assert.is(await send(nginx.port, request(`/${OTHERS}%0d%0a%1b[2J"`)), '404');
      assert.is(
        await send(nginx.port, request('/a', `Referer: \x1b]0;x\x07"\\ ${OTHERS}`, 'User-Agent: \xff"')),
        '404',
      );
      assert.is(await send(nginx.port, request('/b', `Authorization: Basic ${btoa(`${OTHERS} 1 2 "[x:y`)}`)), '404');
      assert.is(await send(nginx.port, request(`/c ${OTHERS}`)), '400');
      assert.is(await send(nginx.port, request('/last')), '404');
      const logs = join(nginx.folder, 'logs/sites');
      const read = (name: string) => readFileSync(join(logs, name), 'latin1').trimEnd().split('\n');
      await until('the last request is logged', () => read('access.log').some((line) => line.includes('/last')));
      const access = read('access.log');
      assert.equal(new Set(access.map((line) => line.split(' ')[0])), new Set([OURS]), access.join('\n'));
      assert.is(access.length, 5);
      for (const line of access) assert.match(line, /^\S+ \d{10}\.\d{3} \d+ 127\.0\.0\.1 - [ -~]+$/);
      const errors = read('error.log');
      assert.ok(
        errors.length > 0 && errors.every((line) => line.includes(`, server: ${OURS}, request: `)),
        errors.join('\n'),
      );
      assert.is(statSync(join(logs, 'access.log')).mode & 0o007, 0, 'other users cannot read it');
    } finally {
      await server.close();
      await nginx.remove();
    }
  });
