import { join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';
import { NodeProcess, prepare } from '../../support/node-process.ts';
import type { Part } from '../part.ts';
import { crowd } from './idle-connections.ts';
import { cutEverywhere, mutate } from './fragmented-requests.ts';
import { malformedRequests } from './malformed-requests.ts';
import { dawdle, readNothing } from './slow-clients.ts';
import { exchange } from './exchange.ts';

/** Bytes on sockets of a node that is a process of its own, as no client of good manners would send them. */
export const sockets: Part = {
  title: 'raw sockets',
  async run(share) {
    const data = join(temporaryFolder(), 'data');
    await prepare(data, { demo: 'user' });
    const node = await NodeProcess.start(data);
    try {
      const token = await node.login('demo');
      await node.ask('/api/account/language', { token }); // from now on the token is remembered
      const before = { bytes: node.memoryBytes, descriptors: node.descriptors };
      const figures = await Promise.all([
        sayForms(node, token),
        closeHalf(node, token),
        cutEverywhere(node, token),
        dawdle(node, token, Math.ceil(share * 50)),
        readNothing(node, Math.ceil(share * 200)),
      ]);
      const count = Math.ceil(share * 10_000);
      figures.push(
        await crowd(node, token, count, ''),
        await crowd(node, token, count, `GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ${'a'.repeat(3500)}`),
        await mutate(node, token, Math.ceil(share * 20_000)),
      );
      return [...figures, await settled(node, token, before)];
    } finally {
      await node.end('SIGKILL');
    }
  },
};

async function sayForms(node: NodeProcess, token: string): Promise<string> {
  const forms = malformedRequests(token);
  await Promise.all(
    forms.map(async ({ name, send, statuses }) => {
      const said = await exchange(node.url(), send);
      if (!statuses.some((each) => each.join() === said.statuses.join()))
        throw new Error(
          `${name} was answered ${said.statuses.join() || 'nothing'}, not ${statuses.map((each) => each.join() || 'nothing').join(' or ')}`,
        );
    }),
  );
  const { body } = await node.ask<{ link: string }[]>('/api/favorites', { token });
  if (body.some(({ link }) => link === '/smuggled')) throw new Error('a request hidden in another one was carried out');
  return `forms: ${forms.length} kinds of requests, good and malformed, each answered as it must be; nothing smuggled`;
}

/** Who closes its half after asking gets the answers that are ready at once; a change runs to its end all the same. */
async function closeHalf(node: NodeProcess, token: string): Promise<string> {
  const head = `HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
  const body = '{"link":"/half-closed","title":"x"}';
  const read = await exchange(node.url(), (socket) => socket.end(`GET /api/account/language ${head}\r\n`));
  if (read.statuses.join() !== '200') throw new Error('a client that closed its half was not answered');
  await exchange(node.url(), (socket) =>
    socket.end(`PUT /api/favorites ${head}Content-Length: ${body.length}\r\n\r\n${body}`),
  );
  const isThere = async () =>
    (await node.ask<{ link: string }[]>('/api/favorites', { token })).body.some(({ link }) => link === '/half-closed');
  for (let tries = 0; !(await isThere()); tries += 1)
    if (tries > 1000) throw new Error('a change whose client closed its half was given up');
  return 'half-closed: what is ready at once is answered, a change runs to its end';
}

/** Waits until the node has let go of all that it held; fails where it does not, or has died, or told of a fault. */
async function settled(
  node: NodeProcess,
  token: string,
  before: { bytes: number; descriptors: number },
): Promise<string> {
  for (let tries = 0; node.descriptors > before.descriptors + 10; tries += 1) {
    if (tries > 300) throw new Error(`${node.descriptors} descriptors are open, ${before.descriptors} were before`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  if ((await node.ask('/api/account/language', { token })).status !== 200)
    throw new Error('a good client is not served any more');
  if (/"level":"(error|fatal)"/.test(node.output))
    throw new Error(`the node told of a fault: ${/^.*"level":"(?:error|fatal)".*$/m.exec(node.output)?.[0]}`);
  return `afterwards: alive, ${node.descriptors} descriptors (${before.descriptors} before), ${mib(node.memoryBytes)} MiB (${mib(before.bytes)} before)`;
}

const mib = (bytes: number) => Math.round(bytes / 1024 / 1024);
