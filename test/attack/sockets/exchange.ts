import type { Socket } from 'node:net';
import { rawConnection } from '../../support/raw.ts';

export interface Exchange {
  /** All that the server said until it closed the connection. */
  readonly text: string;
  /** The statuses of its replies, in their order. */
  readonly statuses: readonly number[];
  readonly ms: number;
}

/** Says something to a server and listens until it closes the connection, which it must, sooner or later. */
export async function exchange(url: string, send: string | Buffer | ((socket: Socket) => void)): Promise<Exchange> {
  const started = performance.now();
  const socket = await rawConnection(url);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined); // a reset is an end like any other
  const closed = new Promise((resolve) => socket.once('close', resolve));
  if (typeof send === 'function') send(socket);
  else socket.write(typeof send === 'string' ? Buffer.from(send, 'latin1') : send);
  await closed;
  return { text, statuses: statusesOf(text), ms: performance.now() - started };
}

/** Status lines of HTTP/1.1, wherever one begins: those within a body would be found too, as ours have none. */
export function statusesOf(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
