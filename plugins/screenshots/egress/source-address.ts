import { createServer, isIP } from 'node:net';

/** Whether this is one IP address of this node, so that connections can come from it. */
export function isLocalAddress(address: string): Promise<boolean> {
  if (isIP(address) === 0 || /^[0:.]+$/.test(address)) return Promise.resolve(false); // 0.0.0.0 and :: are all of them
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: address, port: 0 }, () => server.close(() => resolve(true)));
  });
}
