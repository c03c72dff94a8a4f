/** When the containers plugin loads its client library. A separate file, because a process loads it only once. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { EngineClient } from '../../plugins/containers/engine/engine-client.ts';
import { fakeEngine, json } from '../support/fake-engine.ts';
import { temporaryFolder } from '../support/folder.ts';
import { TestServer } from '../support/hostkeep.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('containers-library');
const isLoaded = () =>
  Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('/node_modules/dockerode/'));

test('the client library is not loaded without an engine, and with one soon after the start, before the first request', async () => {
  const socket = join(temporaryFolder(), 'engine.sock');
  await new EngineClient(socket, { timeoutMs: 1000 }).preload();
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
