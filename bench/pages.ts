/**
 * What the pages weigh and how quickly they are there: `npm run build && node dist/bench/pages.js`, with Chromium. A real
 * server with the demo's content, a browser whose cache is warm, and medians of the rounds.
 */
import type { Page } from 'puppeteer';
import { startChromium } from '../test/support/chromium.ts';
import { PASSWORD, TestServer } from '../test/support/hostkeep.ts';
import { machineText } from './support/processes.ts';

const ROUNDS = 15;
const KIB = 1024;

const server = await TestServer.start({
  config: { screenshots: { remote_url: 'https://pictures.example/?url={url}' } },
});
const people = { demo: await server.account('demo'), other: await server.account('other', 'basic') };
await server.account('operator', '', 'admin');
await server.hostkeep.plugins.callInOrder('demo', people);
const browser = await startChromium('to measure the pages with');
if (browser === undefined) throw new Error('apt-get install chromium');
console.log(`Pages: ${machineText()}`);

/** Opens an application, logs in, and resolves with the bytes that came over the wire until its first page was there. */
async function enter(page: Page, url: string, username: string): Promise<number> {
  const session = await page.createCDPSession();
  await session.send('Network.enable');
  let bytes = 0;
  const assets = new Set<string>();
  session.on('Network.responseReceived', ({ requestId, response }) => {
    if (response.url.includes('/assets/') || response.url === `${url}/`) assets.add(requestId);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (assets.has(requestId)) bytes += encodedDataLength;
  });
  await page.goto(`${url}/`);
  await page.waitForSelector('input[autocomplete=username]');
  await page.type('input[autocomplete=username]', username);
  await page.type('input[autocomplete=current-password]', PASSWORD);
  await page.keyboard.press('Enter');
  await settled(page);
  return bytes;
}

async function settled(page: Page): Promise<void> {
  await page.waitForSelector('main h1');
  await page.waitForFunction(`document.querySelector('.shell .skeleton') === null`);
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

for (const [name, address, username, path] of [
  ['home', 'user', 'demo', '/home'],
  ['console', 'admin', 'operator', '/console'],
] as const) {
  const page = await (await browser.createBrowserContext()).newPage();
  const url = server.hostkeep.url(address);
  const bytes = await enter(page, url, username);
  console.log(`  ${name}: first screen ${(bytes / KIB).toFixed(1)} KiB over the wire, heads included`);
  for (const slowdown of [1, 4]) {
    await page.emulateCPUThrottling(slowdown);
    const times: number[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      const startedMs = performance.now();
      await page.goto(url + path, { waitUntil: 'domcontentloaded' });
      await settled(page);
      times.push(performance.now() - startedMs);
    }
    console.log(
      `  ${name}: overview with its data after ${median(times).toFixed(0)} ms (processor ${slowdown} × slower)`,
    );
  }
  const shift = await page.evaluate(`new Promise((resolve) => new PerformanceObserver((list) =>
    resolve(list.getEntries().reduce((sum, each) => sum + (each.hadRecentInput ? 0 : each.value), 0))
  ).observe({ type: 'layout-shift', buffered: true }) ?? setTimeout(() => resolve(0), 1000))`);
  console.log(`  ${name}: layout shift ${Number(shift).toFixed(3)}`);
  await page.close();
}
await browser.close();
await server.close();
process.exit(0);
