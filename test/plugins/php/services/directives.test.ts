/** Tests a site that runs PHP together with all else that its owner can say of how it is served. */
import { mkdirSync, chownSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { installedVersions } from '../../../../kernel/kit/programs/php-versions.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx } from '../../../support/nginx.ts';
import { testSuite } from '../../../support/suite.ts';
import { FIRST, inHouse, nginx } from '../house.ts';
import { hasPhp } from '../php.ts';

await needs('domains', 'webserver', 'webserver-conf', 'nginx-rules', 'redirects', 'site-access');
const [VERSION = ''] = await installedVersions();
const test = testSuite('php: directives');
const PASSWORD = 'correct horse battery';
const SCRIPT = '<?php echo basename(__FILE__), " ", $_SERVER["REQUEST_URI"], " ", http_response_code(); // source';
/** Each kind of location that is tried before the one of scripts, and one that is tried after it. */
const RULES = `
rewrite ^/old/(.*)$ /index.php?page=$1 last;
location ^~ /first/ { expires 1h; }
location ~ ^/pattern/ { expires 1h; }
location = /exact.php { expires 1h; }
location /docs/ { try_files $uri /docs/start.php; }
`;

if (hasPhp() && hasNginx())
  test('nginx runs scripts, and shows no source, whatever the owner of a site says of it', () =>
    inHouse(nginx, async ({ server, customer }) => {
      const ann = await customer('ann');
      for (const folder of ['first', 'pattern', 'docs', 'private']) {
        const path = join(ann.docroot, folder);
        mkdirSync(path);
        chownSync(path, FIRST + ann.id, FIRST + ann.id);
      }
      for (const file of ['index', 'exact', 'first/a', 'pattern/a', 'docs/start', 'docs/a', 'private/a'])
        ann.put(`${file}.php`, SCRIPT);
      for (const file of ['start.html', 'a.css', 'first/a.css']) ann.put(file, file);
      const ask = async (method: string, path: string, body: object) => {
        const { status, body: told } = await server.ask(path, { method, token: ann.token, body });
        assert.ok(status < 300, `${path}: ${JSON.stringify(told)}`);
      };
      assert.is((await ann.set('version', { version: VERSION })).status, 200);
      await ask('PUT', `/api/nginx-rules/${ann.domain}`, { rules: RULES });
      await ask('PUT', `/api/site-settings/${ann.domain}`, {
        index_files: ['start.html'],
        caching: [{ kind: 'styles', seconds: 3600 }],
        headers: [{ name: 'Referrer-Policy', value: 'same-origin' }],
        folder_listing: false,
        upload_mib: null,
      });
      await ask('POST', '/api/redirects', {
        ...{ domain_url: ann.domain, path: '/moved.php', target: '/index.php', status: 301 },
        ...{ keep_path: false, keep_query: false },
      });
      await ask('PUT', `/api/site-access/${ann.domain}/users`, {
        path: '/private',
        name: 'jane',
        password: PASSWORD,
      });
      await ask('PUT', `/api/site-access/${ann.domain}/error-pages`, {
        error_pages: [{ status: 404, path: '/start.html' }],
      });
      const seen = async (path: string) => {
        const { status, body } = await ann.get(path);
        assert.not.match(body, /<\?php|source/, path);
        return `${status} ${body}`;
      };
      assert.is(await seen('/'), '200 start.html');
      assert.is(await seen('/index.php?a=b'), '200 index.php /index.php?a=b 200');
      assert.is(await seen('/blog/post'), '200 index.php /blog/post 200');
      assert.is(await seen('/old/post'), '200 index.php /old/post 200');
      assert.is(await seen('/docs/a.php'), '200 a.php /docs/a.php 200');
      assert.is(await seen('/docs/none'), '200 start.php /docs/none 200');
      for (const path of ['/first/a.php', '/pattern/a.php', '/exact.php', '/none.php'])
        assert.is(await seen(path), '404 start.html', path);
      assert.equal([(await ann.get('/moved.php')).status, (await ann.get('/moved.php')).location], [301, '/index.php']);
      assert.is((await ann.get('/private/a.php')).status, 401);
      const { body, headers } = await ann.get('/private/a.php', { authorization: `Basic ${btoa(`jane:${PASSWORD}`)}` });
      assert.is(body, 'a.php /private/a.php 200');
      assert.is(headers['referrer-policy'], 'same-origin');
      for (const file of ['/a.css', '/first/a.css'])
        assert.is((await ann.get(file)).headers['cache-control'], 'max-age=3600', file);
    }));
