import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const FIRST = 10_000;
const given = new Set<number>();

/**
 * Returns a loopback port that was free a moment ago. It is below those that the system chooses by itself, for whoever asks for
 * port 0 or connects to something, so that none of the programs which run meanwhile gets it.
 */
export async function freePort(): Promise<number> {
  const [end = FIRST] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/).map(Number);
  for (;;) {
    const port = end > FIRST ? FIRST + Math.floor(Math.random() * (end - FIRST)) : 0;
    const free = given.has(port) ? undefined : await listenedAt(port);
    if (free === undefined) continue;
    given.add(free);
    return free;
  }
}

/** Resolves with the port that could be listened at; `undefined` if it is taken. */
function listenedAt(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer()
      .once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
      )
      .listen(port, '127.0.0.1', () => {
        const address = server.address();
        server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
      });
  });
}
