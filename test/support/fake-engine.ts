import { createServer, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type Socket } from 'node:net';
import { atEnd } from './ending.ts';

/** A fake container engine on a socket. */
export interface FakeEngine {
  /** Requested paths, without queries and without `CHECK`. */
  readonly asked: string[];
  /** Number of connections so far. */
  readonly connections: number;
  close(): Promise<void>;
}

/** What the plugin requests to see whether the engine is up: in the background, so at any moment of a test. */
const CHECK = '/version';

export type Answers = (path: string, response: ServerResponse) => void;

/** Starts an engine that answers HTTP, until the end of the test or suite. */
export async function fakeEngine(socketPath: string, answer: Answers): Promise<FakeEngine> {
  const asked: string[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    if (path !== CHECK) asked.push(path);
    answer(path, response);
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  atEnd(close);
  return {
    asked,
    get connections() {
      return connections;
    },
    close,
  };
}

/** Starts such an engine that passes each connection to `use`, which need not answer. */
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
  atEnd(close);
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

/**
 * Starts an engine with one container of the account demo. It accepts all that the demo asks of it, so that no reply of a
 * server depends on the engine of this host.
 */
export function demoEngine(socketPath: string): Promise<FakeEngine> {
  const id = 'a'.repeat(64);
  const replies: Readonly<Record<string, object>> = {
    '/version': { Version: '1.2.3', ApiVersion: '1.41' },
    '/containers/json': [{ Id: id, Labels: { 'hostkeep.account': 'demo' }, State: 'running', Image: 'x' }],
    '/system/df': { Containers: [{ Id: id, SizeRw: 1000 }] },
    '/containers/create': { Id: id },
    [`/containers/${id}/json`]: { State: { Pid: process.pid } },
    [`/containers/${id}/stats`]: { read: new Date().toISOString(), pids_stats: { current: 1 } },
  };
  return fakeEngine(socketPath, (path, response) => json(response, replies[path] ?? {}));
}
