/** An administrator copies and fetches backups in a browser; a customer sees how old the copy is. */
import { chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeAsItStands } from '../../../support/appearance.ts';
import * as assert from '../../../support/assert.ts';
import { FIRST_ID } from '../../../support/broker.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { eventually } from '../../../support/until.ts';

await needs('backups', 'pages');
const test = browserSuite('copies of backups in pages', 'to copy backups in');

if (existsSync('/usr/bin/restic') && existsSync('/usr/bin/rclone'))
  test('backups are copied and fetched from the console', async (browser) => {
    const server = await TestServer.start({
      config: {
        ids: { first: FIRST_ID, count: 1000 },
        backups: { reserve_mib: 0 },
        'backup-copies': { remote: temporaryFolder(), config_file: '/dev/null', check_seconds: 3600 },
      },
    });
    const { account, token } = await server.user('anna');
    mkdirSync(account.filesRoot, { recursive: true });
    writeFileSync(join(account.filesRoot, 'page.html'), 'a page');
    for (const path of [account.filesRoot, join(account.filesRoot, 'page.html')])
      chownSync(path, FIRST_ID + account.id, FIRST_ID + account.id);
    await server.account('root', '', 'admin');
    const console = await PageDriver.entered(browser, server, 'admin', 'root');
    await console.goto('/console/backup-copies');
    await console.says('No copy yet');
    await server.ask('/api/backups', { method: 'POST', token });
    await eventually(
      'the backup is made',
      async () => (await server.ask<{ backups: unknown[] }>('/api/backups', { token })).body.backups.length,
      (n) => n === 1,
    );
    const { token: admin } = await server.admin('second');
    const path = '/api/backup-copies/accounts/anna/copy';
    assert.is((await server.ask(path, { method: 'POST', token: admin, address: 'admin' })).status, 202);
    await eventually(
      'the backup is copied',
      async () => (await server.ask('/api/backup-copy', { token })).body['backups'],
      (n) => n === 1,
    );
    await console.goto('/console/backup-copies');
    await console.press('Copy now: backups of anna');
    await console.says('The backups of anna were copied');
    await console.press('Look');
    await judgeAsItStands(console);
    await console.press('Fetch the backups of anna');
    await console.page.click('dialog[open] input[type=checkbox]');
    await console.press('Fetch');
    await console.says('anna has its backups');
    const home = await PageDriver.entered(browser, server, 'user', 'anna');
    await home.goto('/home/backups');
    await home.says('Backups copied: 1,');
  });
