import * as assert from '../../../support/assert.ts';
import { browserSuite } from '../../../support/chromium.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { dockerMissing, TestDocker } from '../../../support/docker.ts';
import { atEnd } from '../../../support/ending.ts';
import { until } from '../../../support/until.ts';
import { askAs, openHouse } from '../house.ts';
import { makeSearchImage } from '../images.ts';
import { hasServices } from '../programs.ts';

await needs('pages');
const test = browserSuite('services-page', 'to look at the page of services');

if (hasServices())
  test('a customer switches Redis on, copies its socket, empties it and switches it off', async (browser) => {
    const { server, customer } = await openHouse();
    const ann = await customer('ann');
    const driver = await PageDriver.entered(browser, server, 'user', 'ann');
    await driver.goto('/home/services');
    await driver.says('Redis is off.');
    assert.equal(await driver.violations(), []);
    await driver.press('Switch Redis on');
    await driver.says('Running');
    const socket = (await ann.shown('redis')).socket ?? '';
    assert.match(socket, /redis\.sock$/);
    await driver.says(socket);
    await askAs(ann.uid, socket, 'SET greeting hello\r\n');
    const logged = (text: string) =>
      until(`the log has ${text}`, async () =>
        ((await ann.log('redis')).body.lines ?? []).some((line) => line.includes(text)),
      );
    await logged('to accept connections');
    await driver.press('Log of Redis');
    await driver.says('to accept connections');
    await askAs(ann.uid, socket, `EVAL "redis.log(redis.LOG_WARNING, 'cache warmed, password=hunter2')" 0\r\n`);
    await logged('cache warmed');
    await driver.press('Refresh');
    await driver.says('cache warmed, password=…');
    for (const [width, theme] of [
      [320, 'dark'],
      [1280, 'light'],
    ] as const) {
      await driver.show(width, theme);
      assert.is(await driver.overflows(), false, `${width}`);
      assert.equal(await driver.violations(), [], theme);
    }
    await driver.press('Close');
    await driver.press('Restart Redis');
    await driver.says('its connections end');
    assert.equal(await driver.violations(), []);
    await driver.press('Restart');
    await driver.says('Redis was restarted');
    await driver.press('Empty Redis');
    await driver.press('Empty');
    await driver.says('Redis is empty');
    assert.is((await ann.shown('redis')).figures?.keys, 0);
    await driver.press('Switch Redis off');
    await driver.press('Switch off');
    await driver.says('Redis is off.');
    assert.is((await ann.shown('redis')).is_on, false);
    await driver.finish();
  });

if (hasServices() && dockerMissing() === undefined)
  test('a search server is shown with how to reach it by HTTP, and what it stores', async (browser) => {
    const docker = await TestDocker.start();
    atEnd(() => docker.stop());
    const { server, customer } = await openHouse({ services: { engine_socket: docker.socket } });
    await customer('ann');
    const driver = await PageDriver.entered(browser, server, 'user', 'ann');
    await driver.goto('/home/services');
    await driver.says('Elasticsearch is not available on this server');
    await makeSearchImage(docker, 'elasticsearch:8.19.0');
    await driver.goto('/home/services');
    await driver.press('Switch Elasticsearch on');
    await driver.says('curl --unix-socket');
    await driver.says('Documents');
    assert.equal(await driver.violations(), []);
    await driver.press('Restart Elasticsearch');
    await driver.says('What Elasticsearch stores stays.');
    await driver.press('Restart');
    await driver.says('Elasticsearch was restarted');
    await driver.finish();
  });
