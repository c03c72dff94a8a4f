import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as assert from '../../support/assert.ts';
import { untilServed } from '../../../plugins/webserver/web-server.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('webserver: served');

test('a change counts as served once only the new configuration answers', async () => {
  const [TOKEN, LATE_MS] = ['0123456789abcdef', 300];
  /** What an old worker and a new one say in turn, on a busy node. */
  const turns = ['', TOKEN, TOKEN, '', TOKEN, ''];
  let answered = 0;
  const answer = (response: ServerResponse) => {
    const said = turns[answered] ?? TOKEN;
    answered += 1;
    response.end(said);
  };
  const server = createServer((_, response) =>
    answered < turns.length ? void setTimeout(() => answer(response), LATE_MS) : answer(response),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const driver = { name: 'it', beacon: '' } as unknown as Parameters<typeof untilServed>[0];
    await untilServed(driver, { listen: String(port), timeoutMs: 60_000 }, TOKEN);
    assert.ok(answered > turns.length, `after ${answered} answers an old one was still to come`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
