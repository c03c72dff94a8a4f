/** When the process that speaks with the shared engine starts, and that the client library is loaded there only. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { fakeEngine, json } from '../../support/fake-engine.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const test = testSuite('containers-library');
const isLoaded = () =>
  Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('/node_modules/dockerode/'));

/** Processes that this one started, by their command lines. */
function children(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const [, parent] = /^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      return Number(parent) === process.pid ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8')] : [];
    } catch {
      return []; // no process, or one that has ended
    }
  });
}
const jobs = () => children().filter((command) => command.includes('job-process')).length;

test("the engine's process starts soon after the server where there is an engine", async () => {
  const socket = join(temporaryFolder(), 'engine.sock');
  const absent = await TestServer.start({ config: { containers: { socket } } });
  assert.is((await absent.health('containers'))[0]?.ok, false);
  assert.is(jobs(), 0);
  await absent.close();
  const engine = await fakeEngine(socket, (_, response) => json(response, []));
  const server = await TestServer.start({ config: { containers: { socket } } });
  await until('the process', () => jobs() === 1);
  assert.equal(engine.asked, []);
  const { token } = await server.user('ann');
  await until('an answer', async () => (await server.ask('/api/docker_stats', { token })).status === 200);
  assert.equal([jobs(), isLoaded()], [1, false]);
  await server.close();
  await engine.close();
  assert.is(jobs(), 0);
});
