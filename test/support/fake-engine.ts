import { createServer, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type Socket } from 'node:net';

/** A fake container engine on a socket. */
export interface FakeEngine {
  /** Requested paths, without queries. */
  readonly asked: string[];
  /** Number of connections so far. */
  readonly connections: number;
  close(): Promise<void>;
}

export type Answers = (path: string, response: ServerResponse) => void;

/** Starts an engine that answers HTTP. */
export async function fakeEngine(socketPath: string, answer: Answers): Promise<FakeEngine> {
  const asked: string[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    asked.push(path);
    answer(path, response);
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    asked,
    get connections() {
      return connections;
    },
    close,
  };
}

/** Starts an engine that passes each connection to `use`, which need not answer. */
export async function rawEngine(socketPath: string, use: (socket: Socket) => void): Promise<FakeEngine> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createSocketServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    use(socket);
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return {
    asked: [],
    get connections() {
      return connections;
    },
    close,
  };
}

export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
