import type { Readable, Writable } from 'node:stream';
import type { ConnectionTransport } from 'puppeteer-core';

/** A screenshot, the largest message, has a tenth of this. */
const MESSAGE_LIMIT_BYTES = 64 << 20;

/**
 * The connection to the DevTools of a browser that was started with `--remote-debugging-pipe`: JSON messages, each ended
 * by a zero byte. It ends when the browser ends, and when a message is too long.
 */
export function pipeTransport(input: Writable, output: Readable): ConnectionTransport {
  let parts: Buffer[] = [];
  let bytes = 0;
  const transport: ConnectionTransport = {
    send: (message) => void input.write(`${message}\0`),
    close: () => {
      input.destroy();
      output.destroy();
    },
  };
  output.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; start = end + 1, end = chunk.indexOf(0, start)) {
      const message = Buffer.concat([...parts, chunk.subarray(start, end)]).toString();
      [parts, bytes] = [[], 0];
      setImmediate(() => transport.onmessage?.(message)); // in a turn of its own, as puppeteer expects
    }
    parts.push(chunk.subarray(start));
    bytes += chunk.length - start;
    if (bytes > MESSAGE_LIMIT_BYTES) transport.close();
  });
  output.once('close', () => transport.onclose?.());
  for (const stream of [input, output]) stream.on('error', () => transport.close());
  return transport;
}
