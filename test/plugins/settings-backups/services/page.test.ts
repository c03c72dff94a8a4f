/** A customer restores the settings and domains of a backup in a browser. */
import { judgeAsItStands } from '../../../support/appearance.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { until } from '../../../support/until.ts';
import { Customer, hasRestic, SETTINGS } from '../customer.ts';

await needs('backups', 'domains', 'pages');
const test = browserSuite('settings of backups in pages', 'to restore settings in');

if (hasRestic)
  test('the settings of a backup are an item of their own, and are restored', async (browser) => {
    const server = await TestServer.start({ config: SETTINGS });
    const ann = await Customer.make(server, 'anna');
    const bob = await Customer.make(server, 'bob');
    for (const domain_url of ['shop.example', 'taken.example'])
      await ann.person.asks('POST /api/domains/new', { domain_url }, 201);
    const id = await ann.backup();
    for (const domain_url of ['shop.example', 'taken.example'])
      await ann.person.asks('POST /api/domains/delete', { domain_url }, 200);
    await bob.person.asks('POST /api/domains/new', { domain_url: 'taken.example' }, 201);
    const driver = await PageDriver.entered(browser, server, 'user', 'anna');
    await driver.goto(`/home/backups#backup=${id}`);
    await driver.says('Settings and domains');
    await judgeAsItStands(driver);
    await driver.press('Restore settings and domains');
    await driver.says('What you have added since stays');
    await driver.page.click('dialog[open] .dialog-end .button.danger');
    await driver.says('Restoring settings and domains');
    await until('the domain is back', async () => {
      const { domains } = await ann.person.asks<{ domains: unknown[] }>('GET /api/domains', 200);
      return domains.length === 1;
    });
    await driver.says('taken.example cannot be added');
    await driver.finish();
  });
