/** An administrator restores a removed account in a browser, and removes the backups of another. */
import { judgeAsItStands } from '../../../support/appearance.ts';
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { eventually, until } from '../../../support/until.ts';
import { backup, customer, hasRestic, Operator, read, start } from '../customer.ts';

await needs('backups', 'backup-overview', 'account-archives', 'accounts', 'pages');
const test = browserSuite('removed accounts in pages', 'to restore accounts in');

if (hasRestic)
  test('an account is removed, and comes back, in the console', async (browser) => {
    const server = await start();
    const operator = new Operator(await server.admin('second'));
    await server.account('root', '', 'admin');
    for (const username of ['ann', 'bob']) await backup(await customer(server, username));
    await operator.purge('bob');
    const console = await PageDriver.entered(browser, server, 'admin', 'root');
    await console.goto('/console/accounts/ann');
    await console.press('Remove account');
    await console.says('Backups that it has stay for 7 days');
    await operator.purge('ann');
    await console.goto('/console/account-backups');
    await console.says('Removed accounts');
    await judgeAsItStands(console);
    await console.press('Restore ann');
    await console.press('Restore');
    await console.says('New password of ann');
    await console.page.click('dialog[open] input[type=checkbox]');
    await console.press('Done');
    await console.says('ann is restored');
    assert.is(read(server, 'ann', 'site/index.html'), 'the page of ann');
    await console.press('Remove for good: backups of bob');
    await console.replace('dialog[open] input', 'bob');
    await console.press('Remove for good');
    await until('none is left', async () => (await operator.list()).length === 0);
    await eventually(
      'the part goes',
      () => console.text('main'),
      (text) => !text.includes('Removed accounts'),
    );
    await console.finish();
  });
