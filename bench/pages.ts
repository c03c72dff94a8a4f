/**
 * What the pages weigh and how quickly they are there: `npm run build && node dist/bench/pages.js [minutes]`, with Chromium. A
 * real server with the demo's content, a browser whose cache is warm, and medians of the rounds. `minutes` is how long the
 * console stays open with its figures live; 10 unless given.
 */
import { addDemoContent } from '../test/support/demo-content.ts';
import type { Browser, Page } from 'puppeteer-core';
import { startChromium } from '../test/support/chromium.ts';
import { PASSWORD, TestServer } from '../test/support/hostkeep.ts';
import { addManyAccounts, filterByPlan, sortBy, tableMs } from './support/many-accounts.ts';
import { interactionsOf, stayLive, watchInteractions } from './support/page-figures.ts';
import { machineText } from './support/processes.ts';

const ROUNDS = 15;
const KIB = 1024;
const MIB = KIB * KIB;
const ACCOUNTS = 10_000;
const FEATURES = 60;
const PLANS = 50;
/** Pages that are opened by their links while interactions are measured; what is pressed there, and what is typed. */
const DRIVES = {
  home: ['domains', 'mysql', 'files', 'sites', 'containers', 'account', 'account/activity', ''],
  console: ['accounts', 'features', 'plans', 'plugins', 'events', 'sessions', 'webhooks', 'account', ''],
} as const;

const minutes = Number(process.argv[2] ?? 10);
const server = await TestServer.start({
  config: { screenshots: { remote_url: 'https://pictures.example/?url={url}' } },
});
const { plans } = server.hostkeep.core;
const people = { demo: await server.account('demo'), other: await server.account('other', 'basic') };
await server.account('operator', '', 'admin');
await addDemoContent(server, people);
const { name: _, features, ...limits } = await plans.get('basic');
for (let i = 3; i < PLANS; i++) await plans.create(`plan-${i}`, limits, [...features]);
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
  await page.waitForSelector('.shell main h1');
  await page.waitForFunction(`document.querySelector('.shell .skeleton') === null`);
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

for (const [name, address, username, path] of [
  ['home', 'user', 'demo', '/home'],
  ['console', 'admin', 'operator', '/console'],
] as const) {
  const page = await (await browser.createBrowserContext()).newPage();
  await page.setViewport({ width: 1280, height: 900 });
  await watchInteractions(page);
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
  const drive = await interactions(page, path, DRIVES[name]);
  console.log(
    `  ${name}: ${drive.length} interactions, processor 4 × slower: longest ${Math.max(...drive)} ms until painted`,
  );
  await page.emulateCPUThrottling(1);
  const shifts: number[] = [];
  for (const link of DRIVES[name]) {
    await page.goto(`${url}${path}/${link}`, { waitUntil: 'domcontentloaded' });
    await settled(page);
    shifts.push(await layoutShift(page));
  }
  console.log(`  ${name}: layout shift ${Math.max(...shifts).toFixed(3)}, the largest of ${shifts.length} pages`);
  if (name === 'console') {
    console.log(
      `  ${name}: a switch of ${FEATURES} features × ${PLANS} plans painted after ${(await switchMs(page, url)).toFixed(0)} ms`,
    );
    await page.goto(url + path);
    await settled(page);
    const { growthBytes, busy } = await stayLive(page, minutes);
    const [mib, percent] = [(growthBytes / MIB).toFixed(1), (busy * 100).toFixed(1)];
    console.log(`  ${name}: live for ${minutes} minutes: ${mib} MiB more, ${percent} % of a core`);
  }
  await page.close();
}
await manyAccounts();
await browser.close();
await server.close();
process.exit(0);

/** Prints how the console's table of accounts behaves with many of them. */
async function manyAccounts(): Promise<void> {
  await addManyAccounts(server.hostkeep.core.store, ACCOUNTS);
  const page = await (await (browser as Browser).createBrowserContext()).newPage();
  await page.setViewport({ width: 1280, height: 900 });
  const url = server.hostkeep.url('admin');
  await enter(page, url, 'operator');
  await page.emulateCPUThrottling(4);
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const startedMs = performance.now();
    await page.goto(`${url}/console/accounts`, { waitUntil: 'domcontentloaded' });
    await page.waitForSelector('main tbody a');
    await settled(page);
    times.push(performance.now() - startedMs);
  }
  const figures = {
    'first screen': median(times),
    'sorted by name': await tableMs(page, ROUNDS, sortBy('User name')),
    'sorted by processor': await tableMs(page, ROUNDS, sortBy('Processor')),
    'filtered by plan': await tableMs(page, ROUNDS, filterByPlan),
  };
  const text = Object.entries(figures).map(([what, ms]) => `${what} after ${ms.toFixed(0)} ms`);
  console.log(`  console with ${ACCOUNTS} accounts, processor 4 × slower: ${text.join(', ')}`);
}

/** Opens pages by their links and types into their searches, as a person does; resolves with the interactions in milliseconds. */
async function interactions(page: Page, path: string, links: readonly string[]): Promise<number[]> {
  for (const link of links) {
    const anchor = `nav a[href="${link === '' ? path : `${path}/${link}`}"]`;
    if ((await page.$(anchor)) === null) continue;
    await page.click(anchor);
    await settled(page);
    const search = await page.$('main input[type=search]');
    if (search !== null) {
      await search.type('example');
      for (const _ of 'example') await page.keyboard.press('Backspace');
    }
    await settled(page);
  }
  return interactionsOf(page);
}

/** Resolves with the shift of the layout since the page was loaded. */
async function layoutShift(page: Page): Promise<number> {
  return (await page.evaluate(`new Promise((resolve) => {
    let shift = 0;
    new PerformanceObserver((list) => {
      for (const each of list.getEntries()) if (!each.hadRecentInput) shift += each.value;
    }).observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => resolve(shift), 1000);
  })`)) as number;
}

/** Resolves with the median time from the click on a switch of the matrix until its new state is painted. */
async function switchMs(page: Page, url: string): Promise<number> {
  // Hostkeep has fewer features: the page is given more of them, which are never pressed.
  await page.evaluateOnNewDocument(`
    const ask = globalThis.fetch;
    globalThis.fetch = async (input, options) => {
      const response = await ask(input, options);
      if (!String(input.url ?? input).endsWith('/api/features')) return response;
      const { features } = await response.json();
      const more = Array.from({ length: ${FEATURES} - features.length }, (_, i) => ({ ...features[0], name: 'more_' + i }));
      return Response.json({ features: [...features, ...more] });
    };`);
  await page.goto(`${url}/console/features`);
  await settled(page);
  await page.waitForSelector('.matrix .switch');
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++)
    times.push(
      (await page.evaluate(`new Promise((resolve) => {
        const cell = document.querySelectorAll('.matrix tbody tr:nth-child(2) .switch')[${i}];
        const [before, start] = [cell.ariaChecked, performance.now()];
        cell.click();
        const look = () => requestAnimationFrame(() => {
          if (cell.ariaChecked === before) return look();
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
        });
        look();
      })`)) as number,
    );
  return median(times);
}
