/** The end of a move that takes an account in, with another node that goes at any time. */
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import * as assert from '../../support/assert.ts';
import type { Arrival } from '../../../kernel/contract/points/move-part.ts';
import { createLog } from '../../../kernel/log.ts';
import { Receiver } from '../../../plugins/moves/receiver.ts';
import { testSuite } from '../../support/suite.ts';
import { LIMIT_MS } from '../../support/until.ts';

const test = testSuite('receiver of moves');
const MOVE = {
  username: 'ann',
  account_id: 1,
  source: 'one',
  target: 'two',
  state: 'copying',
  claim: 'c',
  compared_at: 0,
};

/** Serves what a plugin answers to the node `one`, which asks at `port`. */
async function receiving(arrive: (arrival: Arrival) => Promise<unknown>) {
  const receiver = new Receiver({
    store: { get: async () => MOVE },
    jobs: { open: () => ({ close: async () => undefined }), ownerOf: () => ({ key: 'ann' }) },
    node: { plugins: () => [] },
    gather: async () => [{ plugin: 'probe', ok: true, value: { mover: { arrive } } }],
    log: createLog('silent'),
    here: 'two',
  } as never);
  const server = createServer((socket) => receiver.accept(socket, 'one')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = () =>
    request({
      ...{ port: (server.address() as AddressInfo).port, method: 'POST', agent: false },
      path: '/part?username=ann&claim=c&plugin=probe&name=load',
    });
  return {
    asked,
    async close() {
      await receiver.close();
      server.close();
    },
  };
}

test('a node that goes while nobody reads what it sends ends its own request only', async () => {
  const events = new EventTarget();
  const seen = (name: string) => once(events, name, { signal: AbortSignal.timeout(LIMIT_MS) });
  const { asked, close } = await receiving(async ({ body, signal }) => {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) if (chunk !== undefined) break;
    events.dispatchEvent(new Event('read'));
    await once(signal, 'abort');
    events.dispatchEvent(new Event('gone'));
    return null;
  });
  for (const text of ['a part', 'another']) {
    const [read, gone] = [seen('read'), seen('gone')];
    const request = asked().on('error', () => undefined); // it is given up
    request.write(text);
    await read;
    request.destroy();
    assert.ok(await gone, text);
    await new Promise(setImmediate); // what was sent ends after its connection
  }
  await close();
});
