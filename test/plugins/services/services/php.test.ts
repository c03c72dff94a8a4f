/** Redis of an account, as a page of PHP in nginx uses it. */
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { installedVersions } from '../../../../kernel/kit/programs/php-versions.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { fetchAnswer } from '../../../support/page.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { openHouse } from '../house.ts';
import { hasServices } from '../programs.ts';

await needs('domains', 'webserver', 'php');
const [VERSION] = await installedVersions();
const test = testSuite('services-php');

/** Says one command to the socket, and what comes back. */
const page = (socket: string) => `<?php
$redis = @stream_socket_client('unix://${socket}', $code, $why, 5);
if ($redis === false) die("no connection: $why");
$words = array_merge([$_GET['do']], isset($_GET['key']) ? [$_GET['key']] : [], isset($_GET['to']) ? [$_GET['to']] : []);
fwrite($redis, '*' . count($words) . "\\r\\n");
foreach ($words as $word) fwrite($redis, '$' . strlen($word) . "\\r\\n$word\\r\\n");
$told = fgets($redis);
echo trim($told[0] === '$' && $told[1] !== '-' ? fgets($redis) : $told);`;

if (hasServices() && hasNginx() && VERSION !== undefined)
  test('a page of PHP sets a key and gets it, and the page of another account does not', async () => {
    const nginx = await Nginx.start('www-data');
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const { server, customer } = await openHouse({
      webserver: nginx.settings,
      php: { run_folder: join(folder, 'php'), drain_seconds: 0 },
      files_root: join(nginx.folder, 'files/{username}') as never,
    });
    try {
      const open = async (name: string) => {
        const made = await customer(name);
        const account = await server.hostkeep.core.accounts.get(name);
        const ask = (method: string, path: string, body: object) =>
          server.ask(path, { method, token: made.token, body });
        assert.is((await ask('POST', '/api/domains/new', { domain_url: `${name}.example` })).status, 201);
        const chosen = await ask('PUT', `/api/php/sites/${name}.example/version`, { version: VERSION });
        assert.is(chosen.status, 200, JSON.stringify(chosen.body));
        const put = (socket: string) => {
          const path = join(account.filesRoot, `${name}.example`, 'index.php');
          writeFileSync(path, page(socket));
          chownSync(path, made.uid, made.uid);
        };
        const get = async (query: string) =>
          (await fetchAnswer(nginx.port, `${name}.example`, `/?${query}`, { headers: {} })).body;
        return { ...made, put, get };
      };
      const [ann, bea] = [await open('ann'), await open('bea')];
      const { body, status } = await ann.change('redis', true);
      assert.is(status, 200, JSON.stringify(body));
      for (const each of [ann, bea]) each.put(body.socket ?? '');
      assert.is(await ann.get('do=GET&key=greeting'), '$-1');
      assert.is(await ann.get('do=SET&key=greeting&to=h%C3%A9llo+there'), '+OK');
      assert.is(await ann.get('do=GET&key=greeting'), 'héllo there');
      assert.match(await bea.get('do=GET&key=greeting'), /^no connection: Permission denied/);
      assert.equal([(await ann.shown('redis')).figures?.keys, (await ann.shown('redis')).figures?.hits], [1, 1]);
      await ann.change('redis', false);
      assert.match(await ann.get('do=GET&key=greeting'), /^no connection/);
    } finally {
      await server.close();
      await nginx.remove();
    }
  });
else reportSkipped('a page of PHP with a service of its account');
