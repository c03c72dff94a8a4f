/**
 * Takes the pictures of the pages that README shows: `node dist/test/plugins/pages/screenshots.js`, from the demo, in the folder of
 * the pages. With root's rights the demo also has containers.
 */
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { startChromium } from '../../support/chromium.ts';
import { start } from '../../support/command.ts';
import { dockerMissing, TestDocker } from '../../support/docker.ts';
import { temporaryFolder } from '../../support/folder.ts';

const FOLDER = join(projectDir, 'plugins/pages/screenshots');
const SIZE = { width: 1280, height: 800, deviceScaleFactor: 1.5 };
/** How long the charts of this minute are left to grow. */
const LIVE_MS = 45_000;
const SHOWN_MS = 2000;

type Login = Readonly<Record<'username' | 'password', string>>;
type Credentials = Readonly<Record<'base_url' | 'admin_url', string> & Record<'user' | 'admin', Login>>;

const [data, settings] = [temporaryFolder(), join(temporaryFolder(), 'settings.json')];
const docker = dockerMissing() === undefined ? await TestDocker.start() : undefined;
writeFileSync(settings, JSON.stringify(docker === undefined ? {} : { containers: { socket: docker.socket } }));
const { child } = await start(data, ['--config', settings, 'demo'], /Ctrl-C stops it/);
const browser = await startChromium('to take pictures with');
try {
  if (browser === undefined) throw new Error('apt-get install chromium');
  const { base_url, admin_url, user, admin } = JSON.parse(
    readFileSync(join(data, 'credentials.json'), 'utf8'),
  ) as Credentials;
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, url, { username, password }] of [
    ['home', base_url, user],
    ['console', admin_url, admin],
  ] as const) {
    const page = await browser.newPage();
    await page.setViewport(SIZE);
    await page.goto(url);
    await page.waitForSelector('input[autocomplete=username]');
    await page.type('input[autocomplete=username]', username);
    await page.type('input[autocomplete=current-password]', password);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.shell');
    await new Promise((resolve) => setTimeout(resolve, LIVE_MS));
    for (const button of (await page.$$('named/24 h')).slice(0, 1)) await button.click();
    await new Promise((resolve) => setTimeout(resolve, SHOWN_MS));
    const { info, data: picture } = await sharp(await page.screenshot())
      .png({ palette: true, quality: 100, effort: 10 })
      .toBuffer({ resolveWithObject: true });
    writeFileSync(join(FOLDER, `${name}.png`), picture);
    console.log(`${name}.png: ${info.width} × ${info.height}, ${Math.round(info.size / 1024)} KiB`);
  }
} finally {
  await browser?.close();
  child.kill('SIGTERM');
  await once(child, 'exit');
  await docker?.stop();
}
