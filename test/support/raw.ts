import { connect, type Socket } from 'node:net';
import { once } from 'node:events';

/** Sends raw bytes and returns everything received until the server closes or `isComplete` returns true. */
export async function rawRequest(
  url: string,
  bytes: string,
  isComplete: (text: string) => boolean = hasWholeReply,
): Promise<string> {
  const socket = await rawConnection(url);
  let text = '';
  const done = new Promise<void>((resolve, reject) => {
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (isComplete(text)) resolve();
    });
    socket.on('close', () => resolve());
    socket.on('error', reject);
  });
  socket.write(bytes);
  await done;
  socket.destroy();
  return text;
}

export async function rawConnection(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

function hasWholeReply(text: string): boolean {
  const [head = '', body] = text.split('\r\n\r\n', 2);
  return body !== undefined && body.length >= Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
}
