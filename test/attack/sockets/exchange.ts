import type { Socket } from 'node:net';
import { rawConnection } from '../../support/raw.ts';

export interface Exchange {
  /** Everything that the server sent before it closed the connection. */
  readonly text: string;
  /** The statuses of its responses, in order. */
  readonly statuses: readonly number[];
  readonly ms: number;
}

/** Sends bytes, or lets a function write them, and reads until the server closes the connection. */
export async function exchange(url: string, send: string | Buffer | ((socket: Socket) => void)): Promise<Exchange> {
  const started = performance.now();
  const socket = await rawConnection(url);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined); // a reset ends the connection too
  const closed = new Promise((resolve) => socket.once('close', resolve));
  if (typeof send === 'function') send(socket);
  else socket.write(typeof send === 'string' ? Buffer.from(send, 'latin1') : send);
  await closed;
  return { text, statuses: statusesOf(text), ms: performance.now() - started };
}

/** Returns the statuses of all status lines; no body of this server contains one. */
export function statusesOf(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
