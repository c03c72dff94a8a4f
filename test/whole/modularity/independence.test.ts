/**
 * Feature areas are switched on and off independently: with any one plugin off, every route of all others answers as it
 * did before, and the routes of that plugin are gone.
 *
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import type { RouteInfo } from '../../../kernel/contract/node-info.ts';
import { demoEngine, type FakeEngine } from '../../support/fake-engine.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { allPlugins, TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const plugins = (await allPlugins()).map(({ name }) => name);
const test = testSuite('independence'); // after the last await, as it runs once this file is loaded

const SOCKET = join(temporaryFolder(), 'engine.sock');
let engine: FakeEngine;
test.before(async () => void (engine = await demoEngine(SOCKET)));
test.after(() => engine.close());

/** How often what may pass is asked again. */
const RETRIES = 20;

/** What a server answers at every route: a user with every feature, and an administrator, each with a token of its own. */
async function answers(off: string | undefined, routes?: readonly RouteInfo[]): Promise<Map<string, number>> {
  const server = await TestServer.start({
    config: {
      plugins: off === undefined ? {} : { [off]: false },
      containers: { socket: SOCKET, timeout_ms: 10_000 },
      screenshots: { remote_url: 'https://pictures.example/?url={url}' },
    },
  });
  const [ann, root] = [await server.account('ann'), await server.account('root', '', 'admin')];
  const found = new Map<string, number>();
  for (const { plugin, address, method, paths, produces } of routes ?? server.hostkeep.node.routes())
    for (const path of paths) {
      const token = await server.token(address === 'user' ? ann : root);
      const ask = () =>
        server.ask(path.replace(/[:*]\w+/g, 'x'), {
          method: produces?.includes('text/event-stream') === true ? 'HEAD' : method, // a stream has no end to wait for
          address,
          token,
          ...(method === 'GET' ? {} : { body: {} }),
        });
      const door = `${plugin}: ${method} ${address} ${path}`;
      const isAsBefore = ({ status }: { readonly status: number }) => status === whole?.get(door);
      let answer = await ask();
      // What measures the machine may be too late on a busy one, and says when to ask again.
      for (let again = 0; again < RETRIES && answer.headers.has('retry-after') && !isAsBefore(answer); again += 1) {
        await delay(Number(answer.headers.get('retry-after')) * 1000);
        answer = await ask();
      }
      found.set(door, answer.status);
    }
  if (routes === undefined) all = server.hostkeep.node.routes();
  await server.close();
  return found;
}

let all: readonly RouteInfo[] = [];
let whole: Map<string, number> | undefined;
test('with all plugins on, every route answers', async () => {
  whole = await answers(undefined);
  assert.ok(whole.size > 60);
  const ok = [...whole.values()].filter((status) => status < 300).length;
  assert.ok(ok > 30, `${ok} of ${whole.size} answered 2xx`);
  assert.not([...whole.values()].includes(500));
});

for (const name of plugins)
  test(`with ${name} off, the others answer as before`, async () => {
    const left = await answers(name, all);
    for (const [door, status] of left)
      if (door.startsWith(`${name}: `)) assert.ok([404, 405].includes(status), `${door} is gone: ${status}`);
      else assert.is(status, whole?.get(door), door);
  });
