import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as assert from '../../support/assert.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { NodeProcess, prepare } from '../../support/node-process.ts';
import { rawConnection } from '../../support/raw.ts';
import { testSuite } from '../../support/suite.ts';
import type { Place } from '../../support/thrower.ts';

const test = testSuite('unhandled errors');
const PLACES: readonly Place[] = ['timer', 'stream', 'promise', 'foreign callback', 'interval'];
const THROWER = fileURLToPath(import.meta.resolve('../../support/thrower.js'));
const PART =
  'POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"user';

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly origin?: string;
  readonly route?: string;
  readonly err?: { readonly message: string };
}

// threat unhandled-errors: an error from a timer, a stream, a promise or a foreign callback is logged, and the node ends in order
test('an unhandled error is logged with its route, answers 500 and ends the node', async () => {
  const data = temporaryFolder();
  await prepare(data, { una: 'user' });
  for (const place of PLACES) {
    const node = await NodeProcess.start(data, { inside: THROWER });
    const running = await rawConnection(node.url());
    running.write(PART);
    await node.ask('/openapi.json'); // the request before it has arrived
    node.child.send({ place });
    const [reply] = (await once(running, 'data')) as [Buffer];
    assert.match(reply.toString(), /^HTTP\/1.1 500 [^]*application\/problem\+json[^]*Connection: close/i, place);
    assert.match(reply.toString(), /"error":"internal_error"/);
    assert.is(await node.ended(), 1, place);
    const lines = node.output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []));
    const fatal = lines.filter(({ level }) => level === 'fatal');
    assert.match(fatal[0]?.err?.message ?? '', `thrown from a ${place}`);
    assert.is(fatal[0]?.origin, place === 'promise' ? 'unhandledRejection' : 'uncaughtException');
    assert.ok(fatal.length <= 10, `${fatal.length} lines`);
    const requests = lines.filter(({ route }) => route !== undefined);
    assert.equal(
      requests.map(({ route, err }) => [route, err?.message]),
      [['login.login', `thrown from a ${place}`]],
    );
  }
  const next = await NodeProcess.start(data);
  await next.login('una');
  assert.is(await next.end(), 0);
});
