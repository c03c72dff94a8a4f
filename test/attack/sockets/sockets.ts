import { join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';
import { NodeProcess, prepare } from '../../support/node-process.ts';
import { until } from '../../support/until.ts';
import type { Part } from '../part.ts';
import { holdConnections } from './idle-connections.ts';
import { splitAtEveryByte, mutate } from './fragmented-requests.ts';
import { wireCases } from './wire-cases.ts';
import { runSlowClients, readNothing } from './slow-clients.ts';
import { exchange } from './exchange.ts';

export const sockets: Part = {
  title: 'malformed, ambiguous, slow and half-closed requests on raw sockets',
  async run(share, seed) {
    const data = join(temporaryFolder(), 'data');
    await prepare(data, { demo: 'user' });
    const node = await NodeProcess.start(data);
    try {
      const token = await node.login('demo');
      await node.ask('/api/account/language', { token }); // from now on the token is cached
      const before = { bytes: node.memoryBytes, descriptors: node.descriptors };
      const figures = await Promise.all([
        sendWireCases(node, token),
        closeHalf(node, token),
        splitAtEveryByte(node, token),
        runSlowClients(node, token, Math.ceil(share * 50)),
        readNothing(node, Math.ceil(share * 200)),
      ]);
      const count = Math.ceil(share * 10_000);
      figures.push(
        await holdConnections(node, token, count, ''),
        await holdConnections(node, token, count, `GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ${'a'.repeat(3500)}`),
        await mutate(node, token, Math.ceil(share * 20_000), seed),
      );
      return [...figures, await settled(node, token, before)];
    } finally {
      await node.end('SIGKILL');
    }
  },
};

async function sendWireCases(node: NodeProcess, token: string): Promise<string> {
  const cases = wireCases(token);
  await Promise.all(
    cases.map(async ({ name, bytes, statuses }) => {
      const received = await exchange(node.url(), bytes);
      if (!statuses.some((each) => each.join() === received.statuses.join()))
        throw new Error(
          `${name} returned ${received.statuses.join() || 'nothing'} instead of ${statuses.map((each) => each.join() || 'nothing').join(' or ')}`,
        );
    }),
  );
  const { body } = await node.ask<{ link: string }[]>('/api/favorites', { token });
  if (body.some(({ link }) => link === '/smuggled')) throw new Error('a request hidden in another one was executed');
  return `wire cases: ${cases.length} valid, ambiguous and malformed requests, each with an allowed response; nothing smuggled`;
}

/** A client that half-closes its connection gets a response that is ready at once; a change completes in any case. */
async function closeHalf(node: NodeProcess, token: string): Promise<string> {
  const head = `HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
  const body = '{"link":"/half-closed","title":"x"}';
  const read = await exchange(node.url(), (socket) => socket.end(`GET /api/account/language ${head}\r\n`));
  if (read.statuses.join() !== '200') throw new Error('a half-closed connection got no response');
  await exchange(node.url(), (socket) =>
    socket.end(`PUT /api/favorites ${head}Content-Length: ${body.length}\r\n\r\n${body}`),
  );
  await until('a change whose client half-closed its connection completes', async () =>
    (await node.ask<{ link: string }[]>('/api/favorites', { token })).body.some(({ link }) => link === '/half-closed'),
  );
  return 'half-closed: a read got its response, a change completed';
}

/** Waits until the node has released its descriptors. Rejects if it does not, has died, or logged an error. */
async function settled(
  node: NodeProcess,
  token: string,
  before: { bytes: number; descriptors: number },
): Promise<string> {
  await until('the node closes its descriptors', () => node.descriptors <= before.descriptors + 10);
  if ((await node.ask('/api/account/language', { token })).status !== 200)
    throw new Error('a valid request is not answered any more');
  if (/"level":"(error|fatal)"/.test(node.output))
    throw new Error(`the node logged an error: ${/^.*"level":"(?:error|fatal)".*$/m.exec(node.output)?.[0]}`);
  const memory = `${mib(node.memoryBytes)} MiB (${mib(before.bytes)} before)`;
  return `afterwards: alive, ${node.descriptors} descriptors (${before.descriptors} before), ${memory}`;
}

const mib = (bytes: number) => Math.round(bytes / 1024 / 1024);
