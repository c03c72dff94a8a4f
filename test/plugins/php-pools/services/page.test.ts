/** The page of the console, with a stand-in for the plugin `php`, which shows more than a machine of tests has. */
import * as assert from '../../../support/assert.ts';
import { judgeAsItStands } from '../../../support/appearance.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { allPlugins, TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { asleep, MIB, NAME, pool, standIn } from '../stand-in.ts';

await needs('pages');
const others = (await allPlugins()).filter(({ name }) => name !== 'php');
const test = browserSuite('php-pools-page', 'to look at the pools of PHP');
const POOLS = [
  pool('harbour', {
    ...{ domains: ['harbour-cafe.example', 'shop.example', 'blog.example', 'old.example'], memoryBytes: 211 * MIB },
    ...{ processes: 10, active: 10, state: 'busy', requests: 18_150, runningSeconds: 7260, limitReached: 12 },
  }),
  pool('jane', { memoryBytes: 96 * MIB, processes: 4, active: 3, requests: 920, runningSeconds: 86_400 }),
  pool('garden', { ...asleep, version: '8.2', name: '8.2-0f1e2d3c4b5a' }),
  pool('studio', { ...asleep, state: 'failed', problem: 'php-fpm8.4: it ended with 78' }),
  pool('moved', { domains: [], state: 'ending', mostProcesses: 0, active: 0, memoryBytes: 31 * MIB }),
];

test('an operator sees what PHP takes, searches, sorts, and restarts it', async (browser) => {
  const server = await TestServer.start({ plugins: [...others, standIn(POOLS, [`harbour ${NAME}`])] });
  await server.account('harbour');
  await server.account('operator', '', 'admin');
  const driver = await PageDriver.entered(browser, server, 'admin', 'operator');
  const { page } = driver;
  const first = (name: string) =>
    page.waitForFunction(`document.querySelector('tbody tr:nth-child(2) a')?.textContent === '${name}'`);
  await driver.goto('/console/php');
  await driver.says('1 does not start');
  await first('harbour');
  await judgeAsItStands(driver);
  await page.click('th:first-child button');
  await first('garden');
  await page.type('input[type=search]', 'arb');
  await page.waitForFunction(`document.querySelectorAll('tbody tr').length === 1`);
  await driver.press('Restart PHP 8.4 of harbour');
  await page.waitForSelector('dialog[open]');
  assert.equal(await driver.violations(), []);
  await driver.press('Restart');
  await driver.says('PHP 8.4 of harbour starts anew with its next request');
  await page.type('input[type=search]', 'x');
  await driver.says('No account of this name runs PHP');
  await driver.finish([]);
});

test('without PHP-FPM, the page says what to install', async (browser) => {
  const server = await TestServer.start({ plugins: others });
  await server.account('operator', '', 'admin');
  const driver = await PageDriver.entered(browser, server, 'admin', 'operator');
  await driver.goto('/console/php');
  await driver.says('There is no PHP on this server');
  await driver.says('apt-get install php-fpm');
  await judgeAsItStands(driver);
  await driver.finish([/status of 503/]);
});
