/**
 * The console in a fleet of two real nodes: the fleet's own page, the switch between nodes, and what a node that is gone looks
 * like from another one.
 */
import type { Browser } from 'puppeteer-core';
import * as assert from '../support/assert.ts';
import { judge } from '../support/appearance.ts';
import { startChromium } from '../support/chromium.ts';
import { TestFleet, type FleetMember } from '../support/fleet.ts';
import { TestServer } from '../support/hostkeep.ts';
import { PageDriver } from '../support/page-driver.ts';
import { testSuite } from '../support/suite.ts';
import { eventually, until } from '../support/until.ts';
import { assertNone } from '../support/lists.ts';

const test = testSuite('pages: console in a fleet');
const SWITCH = '.node-switch select';
/** The value of a node's first setting in the order of names. */
const OWN = { one: 'https://of-one.example', two: 'https://of-two.example' };
/** The browser tells of each answer that is an error. */
const REFUSED = /the server responded with a status of (404|503)/;
let fleet: TestFleet;
let [one, two] = [] as unknown as [FleetMember, FleetMember];
let [first, second] = [] as unknown as [TestServer, TestServer];
let browser: Browser | undefined;
let admin: string;

test.before(async () => {
  ({ fleet, one, two } = await TestFleet.pair('console'));
  first = await fleet.serve(one, undefined, { admin_cors_origins: [OWN.one] });
  second = await fleet.serve(two, undefined, { admin_cors_origins: [OWN.two] });
  await first.account('ann');
  await second.account('ben');
  admin = await first.token(await first.account('operator', '', 'admin'));
  await until('both nodes are up', async () => String(await states()) === 'up,up');
  browser = await startChromium('to look at the pages');
});

const ask = <T>(path: string) => first.ask<T>(path, { address: 'admin', token: admin });

async function states(): Promise<string[]> {
  const { body } = await ask<{ nodes: readonly { state: string }[] }>('/api/fleet');
  return body.nodes.map(({ state }) => state);
}

/** Opens the console of the first node, where there is a browser. */
async function open(path: string, act: (driver: PageDriver) => Promise<void>, expected: readonly RegExp[] = []) {
  if (browser === undefined) return;
  const driver = await PageDriver.entered(browser, first, 'admin', 'operator');
  await driver.page.goto(driver.base + path);
  await driver.page.waitForSelector('main h1');
  await act(driver);
  await driver.finish(expected);
}

const isShown = (driver: PageDriver, text: string) =>
  driver.page.waitForFunction(`document.querySelector('main')?.innerText.includes(${JSON.stringify(text)})`);
const searchOf = (driver: PageDriver) => driver.page.evaluate('location.search') as Promise<string>;
const choose = (driver: PageDriver, node: string) => driver.choose(SWITCH, node);
const ALERT = 'main [role=alert]:not([hidden] *)';

/** Chooses a node in the filter of a list, once it has them. */
async function filterBy(driver: PageDriver, node: string): Promise<void> {
  const list = await driver.page.waitForSelector('::-p-xpath(//label[.="Node"]/following-sibling::select)');
  await list?.select(node);
}

test('a single server shows no fleet, and the page says how to begin one', async () => {
  if (browser === undefined) return;
  const alone = await TestServer.start();
  await alone.account('operator', '', 'admin');
  const driver = await PageDriver.entered(browser, alone, 'admin', 'operator');
  await judge(driver, '/console/fleet');
  assert.match(await driver.text('main'), /not in a fleet.*hostkeep fleet init/);
  assert.not.match(await driver.text('.side'), /Fleet/);
  await driver.goto('/console/plugins?node=two');
  assert.is(await driver.page.$(SWITCH), null);
  await driver.finish();
});

test('an administrator is told which node answers, and a customer is not', async () => {
  assert.is((await ask<{ node: string }>('/api/session')).body.node, 'one');
  const { token } = await first.user('curious');
  assert.is((await first.ask('/api/session', { token })).body['node'], null);
});

test('the page of the fleet, in all themes and widths', () =>
  open('/console', async (driver) => {
    assert.match(await driver.text('.side'), /Fleet/);
    await judge(driver, '/console/fleet', ['Drain two']);
    const rows = () =>
      driver.page.$$eval('tbody tr', (found) => found.map((row) => String(row.textContent)).join('\n'));
    const expected = new RegExp(`^one${one.address} · this console.*Up.*now.*\n^two${two.address}Up`, 'm');
    await eventually('both are there, and the node was seen a moment ago', rows, (shown) => expected.test(shown));
  }));

test('a node is drained after a question, which is an event, and taken back', () =>
  open('/console/fleet', async (driver) => {
    await driver.press('Drain two');
    await isShown(driver, 'New accounts are created on other nodes');
    await driver.press('Cancel');
    await driver.page.waitForSelector('dialog', { hidden: true });
    assert.equal(await states(), ['up', 'up'], 'nothing happens before the answer');
    await driver.press('Drain two');
    await driver.press('Drain');
    await driver.says('two takes no new accounts');
    await isShown(driver, 'Draining');
    assert.equal(await states(), ['up', 'draining']);
    await driver.press('Drain one');
    await isShown(driver, 'No other node takes new accounts');
    await driver.press('Cancel');
    await driver.press('Take two back');
    await driver.says('two takes new accounts again');
    assert.equal(await states(), ['up', 'up']);
    const { body } = await ask<{ events: readonly Record<string, unknown>[] }>('/api/events?type=fleet.*');
    assert.equal(
      body.events
        .filter(({ type }) => String(type).endsWith('drained'))
        .map(({ type, username, node, data }) => [type, username, node, data]),
      ['fleet.undrained', 'fleet.drained'].map((type) => [type, 'operator', 'one', { node: 'two' }]),
    );
  }));

test('the switch shows another node on all pages about a machine', () =>
  open('/console/plugins', async (driver) => {
    await driver.settled();
    const asked: string[] = [];
    driver.page.on('request', (request) => void asked.push(request.url().slice(driver.base.length)));
    await choose(driver, 'two');
    await driver.page.waitForFunction(`location.search === '?node=two' && document.title.includes('two')`);
    await driver.settled();
    assert.ok(asked.includes('/api/plugins?node=two'), asked.join());
    await driver.press('Settings');
    await isShown(driver, OWN.two);
    assert.is(await searchOf(driver), '?node=two');
    await driver.page.reload();
    await isShown(driver, OWN.two);
    await choose(driver, 'one');
    await isShown(driver, OWN.one);
    await driver.page.goBack();
    await isShown(driver, OWN.two);
    await driver.press('Live');
    await isShown(driver, 'Busiest processes');
    await until('the figures of two are asked for', () =>
      ['stream', 'system', 'stats'].every((name) => asked.some((path) => path === `/api/usage/${name}?node=two`)),
    );
    const ofMachine = asked.filter((path) => /^\/api\/(usage|plugins|doctor|settings)\b/.test(path));
    assertNone(ofMachine, (path) => !/[?&]node=/.test(path), 'nothing is asked of whichever node answers');
    await driver.press('Accounts');
    await isShown(driver, 'ann');
    assert.is(await driver.page.$(SWITCH), null, 'accounts are not of one machine');
    await driver.press('Plugins');
    await driver.page.waitForSelector(SWITCH);
    assert.is(await searchOf(driver), '?node=two', 'it stays chosen');
  }));

test('the palette finds nodes, and leads to one', () =>
  open('/console/events', async (driver) => {
    await driver.page.keyboard.press('/');
    await driver.page.type('.palette input', 'two');
    await driver.page.waitForFunction(`document.querySelector('[aria-selected=true]')?.innerText.startsWith('two')`);
    await driver.page.keyboard.press('Enter');
    await driver.page.waitForFunction(`location.pathname + location.search === '/console?node=two'`);
  }));

test('events and accounts have their node, and are filtered by it', () =>
  open('/console/events', async (driver) => {
    await isShown(driver, 'ben · Was created');
    await filterBy(driver, 'two');
    await driver.page.waitForFunction(
      `document.querySelector('main')?.innerText.includes('ann · Was created') === false`,
    );
    await isShown(driver, 'ben · Was created');
    assert.is(await driver.page.evaluate('location.hash'), '#node=two');
    await driver.page.goto(`${driver.base}/console/accounts`);
    await isShown(driver, 'ann');
    await filterBy(driver, 'two');
    await driver.page.waitForFunction(`!document.querySelector('tbody')?.innerText.includes('ann')`);
    await isShown(driver, 'ben');
    await driver.press('ben');
    await driver.press('two');
    await driver.page.waitForFunction(`location.pathname + location.search === '/console?node=two'`);
  }));

test('a node that is not there is said, and the way back', () =>
  open(
    '/console/plugins?node=nine',
    async (driver) => {
      await isShown(driver, 'There is no node nine in this fleet');
      assert.equal(await driver.violations(), []);
      await driver.press('Show one instead');
      await isShown(driver, 'containers');
    },
    [REFUSED],
  ));

test('a node that is gone is said, the others go on, and it comes back by itself', () =>
  open(
    '/console/plugins',
    async (driver) => {
      await second.close();
      await first.hostkeep.core.store.write((tx) =>
        tx.run("update fleet_heartbeats set seen_at = seen_at - 60000 where node = 'two'"),
      );
      await choose(driver, 'two');
      await isShown(driver, 'The node two cannot be reached');
      assert.not.match(
        await driver.page.$eval('main', (main) => String((main as { innerText?: string }).innerText)),
        /containers/,
      );
      assert.equal(await driver.violations(), []);
      await driver.page.goto(`${driver.base}/console?node=two`);
      await isShown(driver, 'The node two cannot be reached');
      assert.is((await driver.page.$$(ALERT)).length, 1, 'it is said once');
      await driver.page.goto(`${driver.base}/console/fleet`);
      await isShown(driver, 'two is down');
      await isShown(driver, 'Down');
      assert.equal(await driver.violations(), []);
      await driver.page.goto(`${driver.base}/console/plugins?node=two`);
      await isShown(driver, 'The node two cannot be reached');
      second = await fleet.serve(two);
      await isShown(driver, 'containers');
      assert.is(await driver.page.$(ALERT), null);
    },
    [REFUSED],
  ));
