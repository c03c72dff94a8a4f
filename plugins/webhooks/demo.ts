import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { WebhooksConfig } from './schema.ts';

/** The first one is the same at each start, so that counts, which are kept by URL, go on; the system chooses the other. */
const PORTS = [2089, 0];
/** How often the receiver of chats is too busy, so that a failure and its retry can be seen. */
const BUSY_EACH = 3;
const ENDPOINTS = { '/billing': ['account.*', 'domain.*', 'plan.*'], '/chat': ['login', 'favorite.*'] } as const;

/** Resolves with settings that send the events of the demo to a receiver in this process, on loopback. */
export async function withReceiver(host: Host<WebhooksConfig>): Promise<Host<WebhooksConfig>> {
  const server = await listen(receiver());
  host.onClose(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const endpoints = Object.entries(ENDPOINTS).map(([path, events]) => ({
    url: `http://127.0.0.1:${port}${path}`,
    secret: `whsec_${randomBytes(24).toString('base64')}`,
    events: [...events],
  }));
  return { ...host, config: { ...host.config, allow_private: true, allow_console: true, endpoints } };
}

function receiver(): Server {
  let chats = 0;
  return createServer((request, response) => {
    if (request.url === '/chat') chats += 1;
    const isBusy = request.url === '/chat' && chats % BUSY_EACH === 0;
    response.statusCode = isBusy ? 503 : 204;
    request.resume().once('end', () => response.end());
  });
}

async function listen(server: Server): Promise<Server> {
  for (const port of PORTS) {
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
      break;
    } catch (error) {
      if (port === PORTS.at(-1)) throw error;
    }
  }
  return server.unref();
}
