import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { dockerMissing, TestDocker } from '../../../support/docker.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { reportSkipped } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

await needs('pages');
const test = browserSuite('container-control-page', 'to look at containers');
const LOG = 'dialog pre';
const COUNTING = 'n=0; while :; do n=$((n+1)); echo "line $n"; echo "warned $n" >&2; sleep 0.2; done';

const missing = dockerMissing();
if (missing === undefined)
  test('a customer sees what a container takes, and its log, also while it is restarted', async (browser) => {
    const docker = await TestDocker.start();
    try {
      const own = ['--network', 'none', '--label', 'hostkeep.account=ann', '--memory', '48m'];
      await docker.run(COUNTING, '--name', 'ann-web', ...own);
      await docker.run('exit 0', '--name', 'ann-done', ...own);
      const server = await TestServer.start({ config: { containers: { socket: docker.socket, timeout_ms: 10_000 } } });
      await server.account('ann');
      const driver = await PageDriver.entered(browser, server, 'user', 'ann');
      await driver.goto('/home/containers');
      await seeFigures(driver);
      await readLog(driver);
      await driver.finish();
    } finally {
      await docker.stop();
    }
  });
else reportSkipped(missing);

async function fits(driver: PageDriver): Promise<void> {
  for (const [width, theme] of [
    [320, 'dark'],
    [1280, 'light'],
  ] as const) {
    await driver.show(width, theme);
    assert.is(await driver.overflows(), false, `${width}`);
    assert.equal(await driver.violations(), [], theme);
  }
}

async function seeFigures(driver: PageDriver): Promise<void> {
  const row = (name: string) => driver.page.waitForSelector(`tbody tr ::-p-text(${name})`);
  await row('ann-web');
  await driver.page.waitForFunction(`/ann-web[^]*Up[^]*%[^]*[KM]i?B/.test(document.querySelector('main').innerText)`);
  await driver.press('ann-web');
  const charts = 'dialog .sparkline polyline';
  await driver.page.waitForSelector(charts);
  assert.is(await driver.page.$$eval(charts, (all) => all.length), 5);
  assert.match(await driver.text('dialog'), /Memory in use[\d.]+ [KM]i?B \/ 48 MiB/);
  await fits(driver);
  await driver.press('Close');
}

async function readLog(driver: PageDriver): Promise<void> {
  const { page } = driver;
  const lines = async () => (await driver.text(LOG)).split('\n').filter((line) => line !== '');
  const shows = (what: string, wanted: (all: readonly string[]) => boolean) => eventually(what, lines, wanted);
  await driver.press('Log of ann-web');
  await shows('both outputs', (all) => ['line', 'warned'].every((word) => all.some((line) => line.includes(word))));
  await fits(driver);
  await page.type('dialog input[type=search]', 'WARNED');
  await shows('the wanted lines', (all) => all.length > 2 && all.every((line) => / warned \d+$/.test(line)));
  await driver.choose('dialog select', '15');
  await shows('all of them', (all) => all[0]?.endsWith(' warned 1') === true);
  const saved = temporaryFolder();
  const session = await page.createCDPSession();
  await session.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: saved });
  await driver.press('Download');
  await until('it is saved', () => existsSync(join(saved, 'ann-web.log')));
  assert.match(readFileSync(join(saved, 'ann-web.log'), 'utf8'), /^\S+Z warned 1\n\S+Z warned 2\n/);
  await page.evaluate(`(async () => {
    const { containers } = await (await fetch('/api/docker-containers', { headers: { 'Hostkeep-Page': '1' } })).json();
    const { id } = containers.find(({ name }) => name === 'ann-web');
    const path = '/api/docker-containers/' + id + '/restart';
    const answer = await fetch(path, { method: 'POST', headers: { 'Hostkeep-Page': '1' } });
    if (!answer.ok) throw new Error(await answer.text());
  })()`);
  await shows('it counts anew', (all) => all.filter((line) => / warned [123]$/.test(line)).length === 6);
  await driver.says('Live');
}
