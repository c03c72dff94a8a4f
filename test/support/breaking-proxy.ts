import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { atEnd } from './ending.ts';

/** A proxy that breaks connections off: one after so many bytes of its client as comes first in `cuts`; the rest go on. */
export class BreakingProxy {
  readonly url: string;
  /** Connections that were broken off. */
  broken = 0;

  private constructor(url: string) {
    this.url = url;
  }

  /** Starts a proxy in front of `upstream`, a URL, which ends with the test. `onLast` is called when the last one is broken off. */
  static async start(upstream: () => string, cuts: readonly number[], onLast?: () => void): Promise<BreakingProxy> {
    const left = [...cuts];
    const sockets = new Set<{ destroy(): void }>();
    const server = createServer((client) => {
      const { hostname, port } = new URL(upstream());
      const behind = connect(Number(port), hostname);
      const end = () => {
        client.destroy();
        behind.destroy();
      };
      let passed = 0;
      for (const socket of [client, behind]) {
        sockets.add(socket);
        socket.on('error', end).on('close', end);
      }
      behind.pipe(client);
      client.on('data', (chunk: Buffer) => {
        passed += chunk.length;
        if (passed < (left[0] ?? Infinity)) {
          if (!behind.write(chunk)) client.pause();
          return;
        }
        left.shift();
        proxy.broken += 1;
        behind.end(chunk, end);
        if (left.length === 0) onLast?.();
      });
      behind.on('drain', () => client.resume());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new BreakingProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    atEnd(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return proxy;
  }
}
