/** Containers of a real Docker Engine that answer for paths of sites, behind real web servers. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { Caddy, hasCaddy } from '../../../support/caddy.ts';
import { dockerMissing, TestDocker } from '../../../support/docker.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

await needs('domains', 'webserver', 'webserver-conf', 'containers', 'container-control', 'site-access');
const test = testSuite('proxied-paths-served');
const missing = dockerMissing();
if (missing !== undefined) reportSkipped(missing);

const DOMAIN = 'ann.example';
/** A small application, which tells what it was asked for. */
const APPLICATION = [
  'mkdir -p /www/cgi-bin /www/app /www/.git && cd /www',
  'echo the application > index.html; echo below the path > app/index.html; echo its own > .git/config',
  "printf '#!/bin/sh\\necho; echo; env\\n' > cgi-bin/env; chmod +x cgi-bin/env",
  'exec httpd -f -p 3000 -h /www',
].join('\n');

/** A web server in the network of an engine. */
interface Started {
  readonly port: number;
  readonly config: Readonly<Record<string, unknown>>;
  readonly remove: () => Promise<void>;
  /** Whether those processes have ended that answer as before the last change. */
  readonly isSettled: () => boolean;
}
const starts: Readonly<Record<string, ((enter: readonly string[]) => Promise<Started>) | false>> = {
  nginx:
    hasNginx() &&
    (async (enter) => {
      const nginx = await Nginx.start('root', enter);
      const webserver = { ...nginx.settings, served_timeout_ms: 0 }; // it is asked from another network
      const config = { webserver, files_root: join(nginx.folder, 'files/{username}') };
      const master = readFileSync(join(nginx.folder, 'nginx.pid'), 'utf8').trim();
      const isSettled = () => /^\d+ $/.test(readFileSync(`/proc/${master}/task/${master}/children`, 'utf8'));
      return { port: nginx.port, config, isSettled, remove: () => nginx.remove() };
    }),
  caddy:
    hasCaddy() &&
    (async (enter) => {
      const caddy = await Caddy.start({ enter });
      return { port: caddy.port, config: { ...caddy.config }, isSettled: () => true, remove: () => caddy.remove() };
    }),
};

for (const [name, start] of Object.entries(starts))
  if (missing === undefined && start !== false)
    test(`a container answers for a path and for a site, and for nobody else: ${name}`, async () => {
      const docker = await TestDocker.start();
      const web = await start(docker.enter);
      const config = { ...web.config, containers: { socket: docker.socket, timeout_ms: 10_000 } };
      const server = await TestServer.start({ config });
      try {
        await docker.cli('network', 'create', 'ann_default');
        const run = (container: string, owner: string) =>
          docker.run(
            APPLICATION,
            '--name',
            container,
            '--network',
            'ann_default',
            '--label',
            `hostkeep.account=${owner}`,
          );
        const id = await run('web', 'ann');
        const { account, token } = await server.user('ann');
        const ask = async (method: string, path: string, body?: object) => {
          const answer = await server.ask(path, { method, token, ...(body && { body }) });
          assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
        };
        const set = (...paths: object[]) => ask('PUT', `/api/proxied-paths/${DOMAIN}`, { paths });
        await ask('POST', '/api/domains/new', { domain_url: DOMAIN });
        const folder = join(account.filesRoot, DOMAIN);
        mkdirSync(join(folder, 'apple'), { recursive: true });
        writeFileSync(join(folder, 'index.html'), 'the site');
        writeFileSync(join(folder, 'apple/index.html'), 'an apple');
        const visit = async (path: string, ...options: string[]) => {
          const url = `http://127.0.0.1:${web.port}${path}`;
          const told = ['--write-out', '\n%{http_code}', '--header', `Host: ${DOMAIN}`];
          const args = ['--silent', '--path-as-is', ...told, ...options, url];
          const lines = (await docker.inNetwork('curl', ...args).catch(() => '0')).split('\n'); // it may not listen yet
          return [Number(lines.pop()), lines.join('\n').trim()] as const;
        };
        const untilSeen = async (what: string, path: string, status: number, text = '') => {
          await until(what, async () => {
            const [code, body] = await visit(path);
            return code === status && body.includes(text);
          });
          await until('none answers as before', web.isSettled);
        };

        await set({ path: '/app', container: 'web', port: 3000, strips_path: true });
        await untilSeen('the application answers', '/app/', 200, 'the application');
        assert.equal(await visit('/'), [200, 'the site']);
        assert.equal(await visit('/apple/'), [200, 'an apple']);
        assert.is((await visit('/app?a=1'))[0], 308);
        // names that sites refuse stay refused by Caddy
        const own = name === 'nginx' ? [200, 'its own'] : [404, ''];
        assert.equal(await visit('/app/.git/config'), own);
        assert.is((await visit('/app/../.git/config'))[0], 404);
        assert.is((await visit('/.git/config'))[0], 404);
        const forged = ['--header', 'X-Forwarded-For: 9.9.9.9', '--header', 'X-Real-IP: 9.9.9.9'];
        const [, environment] = await visit('/app/cgi-bin/env', ...forged, '--header', 'Upgrade: chat');
        assert.match(environment, /^HTTP_X_FORWARDED_FOR=127\.0\.0\.1$/m);
        assert.match(environment, /^HTTP_X_REAL_IP=127\.0\.0\.1$/m);
        assert.match(environment, /^HTTP_X_FORWARDED_PROTO=http$/m);
        assert.match(environment, new RegExp(`^HTTP_HOST=${DOMAIN}`, 'm'));
        await ask('PUT', `/api/site-access/${DOMAIN}/users`, { path: '/app', name: 'me', password: 'a long secret' });
        await untilSeen('the path is locked', '/app/', 401);
        assert.is((await visit('/app/', '--user', 'me:a long secret'))[0], 200);
        await ask('DELETE', `/api/site-access/${DOMAIN}/users?path=/app&name=me`);

        const block = (...addresses: string[]) => ask('PUT', `/api/site-access/${DOMAIN}/blocked`, { addresses });
        await block('127.0.0.1');
        await untilSeen('the visitor is blocked', '/app/', 403);
        await block();
        const redirect = { domain_url: DOMAIN, path: '/app/old', target: '/app/new', status: 301 };
        await ask('POST', '/api/redirects', redirect);
        await untilSeen('a redirect leads elsewhere', '/app/old', 301);

        const app = { path: '/app', container: 'web', port: 3000, strips_path: true };
        await set({ ...app, path: '/' }, { ...app, path: '/app/app', strips_path: false });
        await untilSeen('the longest path counts', '/app/app/', 404);
        assert.equal(await visit('/app/'), [200, 'below the path']);
        await set({ path: '/app', container: 'web', port: 3000, strips_path: false });
        await untilSeen('it sees the path', '/app/', 200, 'below the path');
        await set({ path: '/', container: 'web', port: 3000, strips_path: false });
        await untilSeen('it answers for the whole site', '/', 200, 'the application');
        await block('127.0.0.1');
        await untilSeen('the visitor is blocked', '/', 403);
        await block();
        await untilSeen('the visitor is let in', '/', 200);
        assert.equal(await visit('/.git/config'), own);
        assert.is((await visit('/index.php'))[0], 404, 'the application has none');

        // the next one that starts gets the address: it is of another account, and so no address of the network counts
        await docker.cli('stop', id);
        await run('thief', 'bob');
        await untilSeen('no container answers', '/', 502);
        await docker.cli('rm', '--force', 'thief');
        await docker.cli('start', id);
        await untilSeen('its own answers again', '/', 200, 'the application');
        await set();
        await untilSeen('the site answers again', '/', 200, 'the site');
      } finally {
        await server.close();
        await web.remove();
        await docker.stop();
      }
    });
