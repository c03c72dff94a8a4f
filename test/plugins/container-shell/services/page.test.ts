import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { dockerMissing, TestDocker } from '../../../support/docker.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { reportSkipped } from '../../../support/suite.ts';
import { eventually } from '../../../support/until.ts';

await needs('pages');
const test = browserSuite('container-shell-page', 'to type into a terminal');
/** All that the terminal shows. */
const SHOWN =
  "[...document.querySelectorAll('*')].find((each) => each.shadowRoot)?.shadowRoot.querySelector('.xterm-rows')?.innerText";
const FOCUSED = 'document.activeElement.innerText';

const missing = dockerMissing();
if (missing === undefined)
  test('a customer types into a shell, leaves it by keys, ends it and opens it again', async (browser) => {
    const docker = await TestDocker.start();
    try {
      await docker.run('sleep 100000', '--name', 'ann-web', '--network', 'none', '--label', 'hostkeep.account=ann');
      const server = await TestServer.start({
        config: {
          containers: { socket: docker.socket, timeout_ms: 10_000 },
          ids: { first: 200_000 },
          plugins: { 'container-shell': true },
        },
      });
      await server.hostkeep.core.plans.setFeature('developer', 'container_shell', true);
      await server.account('ann');
      await useShell(await PageDriver.entered(browser, server, 'user', 'ann'));
    } finally {
      await docker.stop();
    }
  });
else reportSkipped(missing);

async function useShell(driver: PageDriver): Promise<void> {
  const { page } = driver;
  const shows = (text: string) =>
    eventually(
      `the terminal shows ${text}`,
      async () => String(await page.evaluate(SHOWN)),
      (shown) => shown.includes(text),
    );
  await driver.goto('/home/containers');
  await driver.press('Open a shell');
  await driver.says('Connected');
  await shows('$ ');
  await page.keyboard.type('echo it is $((40 + 2)); printf "gr\\303\\274n\\n"\n');
  await shows('it is 42\ngrün');
  await page.keyboard.type('printf "\\033[38;2;200;30;30mred\\033[0m \\033[4:3mwavy\\033[0m\\n"; stty size\n');
  await shows('red wavy');
  assert.equal(await driver.violations(), []);
  for (const [width, theme] of [
    [1280, 'light'],
    [1280, 'dark'],
    [320, 'dark'],
    [320, 'light'],
  ] as const) {
    await driver.show(width, theme);
    assert.is(await driver.overflows(), false, `${width}`);
    assert.equal(await driver.violations(['color-contrast']), [], theme);
  }
  await page.keyboard.type('clear; echo "$(stty size | cut -d" " -f2) columns"\n');
  await page.waitForFunction(`/^\\d\\d columns/m.test(${SHOWN})`);
  await page.keyboard.press('Tab');
  assert.is(await page.evaluate(FOCUSED), '');
  await page.keyboard.down('Shift');
  await page.keyboard.press('F6');
  await page.keyboard.up('Shift');
  assert.is(await page.evaluate(FOCUSED), 'Close');
  await page.keyboard.down('Shift');
  await page.keyboard.press('Tab');
  await page.keyboard.up('Shift');
  await page.keyboard.type('exit 3\n');
  await driver.says('The shell ended with code 3.');
  await driver.press('Open again');
  await driver.says('Connected');
  await shows('$ ');
  await page.keyboard.type('echo again $((1 + 1))\n');
  await shows('again 2');
  await driver.press('Close');
  await driver.press('Open a shell');
  await driver.finish();
}
