/** When the library of the plugin containers is loaded; in a process of its own, as it is loaded once. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { Engine } from '../../plugins/containers/engine/engine-client.ts';
import { fakeEngine, json } from '../support/fake-engine.ts';
import { temporaryFolder } from '../support/folder.ts';
import { TestServer } from '../support/hostkeep.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('library of the containers');
const isLoaded = () =>
  Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('/node_modules/dockerode/'));

test('it is not loaded where there is no engine, and soon after the start where there is one, before anybody asks', async () => {
  const socket = join(temporaryFolder(), 'engine.sock');
  await new Engine(socket, { timeoutMs: 1000 }).prepare();
  assert.not(isLoaded());
  const engine = await fakeEngine(socket, (_, response) => json(response, []));
  const server = await TestServer.start({ config: { containers: { socket } } });
  try {
    for (let attempts = 0; attempts < 500 && !isLoaded(); attempts += 1) await delay(20);
    assert.ok(isLoaded());
    assert.is(engine.connections, 0);
  } finally {
    await server.close();
    await engine.close();
  }
});
