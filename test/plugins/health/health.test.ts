import { connect } from 'node:net';
import { once } from 'node:events';
import * as assert from '../../support/assert.ts';
import { rawConnection } from '../../support/raw.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { Gate, probePlugin } from '../../support/probe.ts';
import { testSuite } from '../../support/suite.ts';
import health from '../../../plugins/health/index.ts';

const test = testSuite('health');

test('a running server is live and ready on both addresses, without a token', async () => {
  const server = await TestServer.start();
  for (const address of ['user', 'admin'] as const) {
    const live = await server.ask('/healthz', { address });
    assert.equal([live.status, live.body], [200, { status: 'ok' }]);
    const ready = await server.ask('/readyz', { address });
    assert.equal([ready.status, ready.body], [200, { status: 'ready' }]);
    assert.is((await server.ask('/readyz', { address, method: 'HEAD' })).status, 200);
  }
});

test('a store that does not answer makes it not ready, and it is live all the same', async () => {
  const server = await TestServer.open({ plugins: [health] });
  await server.hostkeep.core.store.close();
  const { status, body } = await server.ask('/readyz');
  const { request_id: _, ...problem } = body;
  assert.is(status, 503);
  assert.equal(problem, {
    type: 'urn:hostkeep:error:not_ready',
    title: 'The server is not ready',
    status: 503,
    detail: 'try again later',
    error: 'not_ready',
  });
  assert.is((await server.ask('/healthz')).status, 200);
  await server.close().catch(() => undefined); // its store is closed
});

test('a server that stops is not ready, and closes its port', async () => {
  const gate = new Gate();
  const server = await TestServer.start({ plugins: [health, probePlugin(gate)] });
  const url = new URL(server.hostkeep.url('user'));
  const held = server.ask('/probe/wait');
  await gate.entered;
  const kept = await rawConnection(url.href); // before the port closes
  await server.ask('/healthz'); // the server has accepted both by now
  const closing = server.close();
  kept.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [bytes] = (await once(kept, 'data')) as [Buffer];
  assert.match(bytes.toString(), /^HTTP\/1.1 503 /);
  const [error] = (await once(connect(Number(url.port), url.hostname), 'error')) as [NodeJS.ErrnoException];
  assert.is(error.code, 'ECONNREFUSED');
  gate.open();
  assert.is((await held).status, 200);
  await closing;
  kept.destroy();
});
