import * as assert from '../../../support/assert.ts';
import { installedVersions } from '../../../../kernel/kit/programs/php-versions.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx } from '../../../support/nginx.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { inHouse, nginx } from '../house.ts';
import { hasPhp } from '../php.ts';

await needs('domains', 'webserver', 'pages');
const [VERSION = ''] = await installedVersions();
const test = browserSuite('php-page', 'to look at the page of PHP');

if (hasPhp() && hasNginx())
  test('a customer writes a php.ini, mends its lines, and reads phpinfo', (browser) =>
    inHouse(nginx, async ({ server, customer: open }) => {
      const ann = await open('ann');
      assert.is((await ann.set('version', { version: VERSION })).status, 200);
      const driver = await PageDriver.entered(browser, server, 'user', 'ann');
      const { page } = driver;
      await driver.goto('/home/php');
      await driver.press(`php.ini of ${ann.domain}`);
      const area = 'dialog[open] textarea';
      await page.waitForSelector(area);
      await page.type(area, '; mine\nmax_input_vars = 4000\nopen_basedir = /');
      await driver.press('Save');
      await driver.says('open_basedir is none of the directives that can be set');
      assert.equal(await driver.violations(), []);
      await driver.press('Line 3');
      await page.keyboard.type('log_errors = on'); // the line is selected
      await page.waitForFunction(`document.querySelector('dialog[open] [role=alert]') === null`);
      await driver.press('Save');
      await page.waitForSelector('dialog[open]', { hidden: true });
      assert.is((await ann.read('ini')).body['content'], '; mine\nmax_input_vars = 4000\nlog_errors = on');
      await driver.press(`phpinfo of ${ann.domain}`);
      await driver.says('FPM/FastCGI');
      assert.equal(await driver.violations(), []);
      await page.type('dialog[open] input[type=search]', 'max_input_vars');
      await page.waitForFunction(`document.querySelectorAll('dialog[open] tbody tr').length === 1`);
      assert.match(await driver.text('dialog[open] tbody'), /max_input_vars40004000/);
      await driver.finish([/status of 422/]);
    }));
