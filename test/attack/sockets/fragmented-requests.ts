import { array, assert, asyncProperty, constantFrom, nat, noBias, oneof, record, string, tuple } from 'fast-check';
import type { NodeProcess } from '../../support/node-process.ts';
import { statusesOf, exchange } from './exchange.ts';

/**
 * Sends a request in two pieces, split at every byte. Within the first line, the pinned uWebSockets.js returns 505 (its
 * issue 1776); at every other byte the response must be 200.
 */
export async function splitAtEveryByte(node: NodeProcess, token: string): Promise<string> {
  const text = `GET /api/account/language HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const firstLine = text.indexOf('\n') + 1;
  const splits = await Promise.all(
    Array.from({ length: text.length - 1 }, async (_, i) => {
      const { statuses } = await exchange(node.url(), (socket) => {
        socket.setNoDelay(true);
        socket.write(text.slice(0, i + 1));
        socket.once('data', () => socket.end());
        setTimeout(() => socket.write(text.slice(i + 1)), 50);
      });
      const isKnownFlaw = i + 1 < firstLine && statuses[0] === 505;
      if (statuses.length !== 1 || (statuses[0] !== 200 && !isKnownFlaw))
        throw new Error(`split behind byte ${i + 1}, ${JSON.stringify(text[i])}: ${statuses.join()}`);
      return isKnownFlaw;
    }),
  );
  const known = splits.filter((isKnown) => isKnown).length;
  return `split at every byte: ${splits.length} requests, ${known} answered 505 because the first line was split`;
}

/** Time for a response to a mutated request. */
const RESPONSE_MS = 100;
/** Concurrent requests. */
const BATCH = 100;

const edit = record({
  /** Position in ten-thousandths of the length. */
  at: noBias(nat({ max: 9999 })),
  removed: nat({ max: 20 }),
  added: oneof(
    constantFrom(
      '',
      '\r\n',
      '\n',
      '\r',
      '\0',
      ' ',
      ':',
      '\r\n\r\n',
      '0\r\n\r\n',
      '\xff\xff',
      'Content-Length: 3\r\n',
      'Transfer-Encoding: chunked\r\n',
    ),
    string({ unit: 'binary-ascii', maxLength: 30 }),
  ),
});

/** Sends requests with randomly changed bytes; every response must be well-formed and no internal error. */
export async function mutate(node: NodeProcess, token: string, count: number, seed: number): Promise<string> {
  const head = `Host: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
  const body = '{"link":"/mutated","title":"x"}';
  const requests = [
    `GET /api/account/language HTTP/1.1\r\n${head}\r\n`,
    `PUT /api/favorites HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`,
    `PUT /api/favorites HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  ];
  const seen = new Map<string, number>();
  const change = (text: string, { at, removed, added }: { at: number; removed: number; added: string }) => {
    const place = Math.floor((at / 10_000) * text.length);
    return text.slice(0, place) + added + text.slice(place + removed);
  };
  const one = async (request: string, edits: readonly { at: number; removed: number; added: string }[]) => {
    const bytes = edits.reduce(change, request);
    const { text } = await exchange(node.url(), (socket) => {
      socket.write(Buffer.from(bytes, 'latin1'));
      const end = setTimeout(() => socket.end(), RESPONSE_MS);
      socket.once('close', () => clearTimeout(end)).once('data', () => socket.end());
    });
    const statuses = statusesOf(text);
    if (text !== '' && !text.startsWith('HTTP/1.1 ')) throw new Error(`not a response: ${text.slice(0, 100)}`);
    if (statuses.some((status) => status >= 500 && status !== 505) || !node.isAlive)
      throw new Error(`${statuses.join()} for ${JSON.stringify(bytes)}`);
    const key = String(statuses[0] ?? 'without a response');
    seen.set(key, (seen.get(key) ?? 0) + 1);
  };
  await assert(
    asyncProperty(
      array(tuple(constantFrom(...requests), array(edit, { minLength: 1, maxLength: 4 })), {
        minLength: BATCH,
        maxLength: BATCH,
      }),
      async (batch) => {
        await Promise.all(batch.map(([request, edits]) => one(request, edits)));
      },
    ),
    { numRuns: Math.ceil(count / BATCH), seed },
  );
  const counts = [...seen]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([status, n]) => `${n} ${status}`)
    .join(', ');
  const total = [...seen.values()].reduce((sum, n) => sum + n, 0);
  return `random mutations: ${total} requests (${counts})`;
}
