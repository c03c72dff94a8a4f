import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { installedVersions } from '../../../../kernel/kit/programs/php-versions.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { testSuite } from '../../../support/suite.ts';
import { FIRST, inHouse } from '../house.ts';
import { hasPhp } from '../php.ts';

await needs('domains', 'webserver', 'site-access');
const [version = ''] = await installedVersions();
const test = testSuite('php: the group of the web server');
/** A group that each Debian has, and nobody is a member of. */
const GROUP = 'games';
const PASSWORD = 'correct horse battery';

/** Returns what a process of a user reads, with all groups of that user. */
function readAs(user: string, path: string): string {
  const ids = [`--reuid=${user}`, `--regid=${user}`, '--init-groups', '--'];
  try {
    return execFileSync('setpriv', [...ids, 'cat', path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return 'closed'; // cat has failed
  }
}

async function nginx() {
  const started = await Nginx.start(`www-data ${GROUP}`);
  const config = {
    webserver: started.settings,
    files_root: join(started.folder, 'files/{username}'),
    ids: { first: FIRST, web_group: GROUP },
  };
  return { port: started.port, config, remove: () => started.remove() };
}

if (hasPhp() && hasNginx())
  // threat other-accounts: pools of others that run as www-data enter no folder where nginx has a group of its own
  test('where nginx has a group of its own, www-data reads no files of accounts', () =>
    inHouse(nginx, async ({ server, customer: open }) => {
      const ann = await open('ann');
      ann.put('index.php', '<?php echo "it runs";');
      ann.put('page.txt', 'a page');
      ann.put('private/page.txt', 'a secret');
      assert.is((await ann.set('version', { version })).status, 200);
      const user = { path: '/private', name: 'jane', password: PASSWORD };
      const { status } = await server.ask(`/api/site-access/${ann.domain}/users`, {
        ...{ method: 'PUT', token: ann.token, body: user },
      });
      assert.is(status, 200);
      for (const file of ['index.php', 'page.txt']) assert.is(readAs('www-data', join(ann.docroot, file)), 'closed');
      assert.equal([(await ann.get()).body, (await ann.get('/page.txt')).body], ['it runs', 'a page']);
      assert.is((await ann.get('/private/page.txt')).status, 401);
      const authorization = `Basic ${btoa(`jane:${PASSWORD}`)}`;
      assert.is((await ann.get('/private/page.txt', { authorization })).body, 'a secret');
    }));
