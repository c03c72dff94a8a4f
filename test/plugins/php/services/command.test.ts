import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { CLI, hostkeep } from '../../../support/command.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx } from '../../../support/nginx.ts';
import { fetchAnswer } from '../../../support/page.ts';
import { testSuite } from '../../../support/suite.ts';
import { FIRST, nginx } from '../house.ts';
import { hasPhp } from '../php.ts';
import { until } from '../../../support/until.ts';

await needs('domains', 'webserver');
const test = testSuite('php: commands');

if (hasNginx() && hasPhp())
  test('a domain that a command adds beside a server has PHP, and keeps it', async () => {
    const serving = await nginx();
    try {
      const run = join(temporaryFolder(), 'php');
      chmodSync(join(run, '..'), 0o755);
      const config = { ...serving.config, php: { run_folder: run } };
      const server = await TestServer.start({ config });
      const { account } = await server.user('ann');
      const file = join(temporaryFolder(), 'config.json');
      writeFileSync(file, JSON.stringify(config));
      const args = ['--config', file, 'domain', 'add', 'ann', 'shop.example'];
      const { code, stderr } = await hostkeep(server.data, args, '', CLI, { HOSTKEEP_FILES_ROOT: '' });
      assert.is(code, 0, stderr);
      const page = join(account.filesRoot, 'shop.example/index.php');
      writeFileSync(page, '<?php echo "it runs";');
      chownSync(page, FIRST + account.id, FIRST + account.id);
      // without a broker, what the command has started ends with it
      await until('its pool', async () => (await fetchAnswer(serving.port, 'shop.example', '/')).body === 'it runs');
      const rows = await server.hostkeep.core.store.all<{ version: string }>('select version from php_sites');
      assert.equal([rows.length, rows[0]?.version !== ''], [1, true], 'it is stored, too');
      await server.close();
    } finally {
      await serving.remove();
    }
  });
