/** Requests that come together, at real masters of PHP-FPM behind nginx. */
import * as assert from '../../../support/assert.ts';
import { installedVersions } from '../../../../kernel/kit/programs/php-versions.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx } from '../../../support/nginx.ts';
import { testSuite } from '../../../support/suite.ts';
import { inHouse, nginx } from '../house.ts';
import { hasPhp } from '../php.ts';

await needs('domains', 'webserver');
const [version = ''] = await installedVersions();
const test = testSuite('php: requests that wait');

if (hasNginx() && hasPhp())
  test('no request waits for a slow one that came with it', () =>
    inHouse(nginx, async ({ customer: open }) => {
      const ann = await open('ann');
      ann.put('slow.php', '<?php while (!file_exists("go")) { usleep(20000); clearstatcache(); } echo "slow";');
      ann.put('quick.php', '<?php echo "quick";');
      assert.is((await ann.set('version', { version })).status, 200);
      assert.is((await ann.get('/quick.php')).body, 'quick', 'a process is idle');
      const slow = [ann.get('/slow.php'), ann.get('/slow.php'), ann.get('/slow.php')];
      const quick = Array.from({ length: 10 }, () => ann.get('/quick.php'));
      for (const { body } of await Promise.all(quick)) assert.is(body, 'quick');
      ann.put('go', '');
      for (const { body } of await Promise.all(slow)) assert.is(body, 'slow');
    }));
