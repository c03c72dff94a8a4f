import type { EventEmitter } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { ConnectionOptions } from 'node:tls';
import type { ForwardedAnswer } from '../../../kernel/contract/forwarding.ts';
import { WebSocketReply, type SocketClient } from '../../../kernel/contract/web-socket.ts';
import { lazyPackage } from '../../../kernel/kit/programs/lazy-package.ts';
import { toAnswer } from './answer.ts';
import type { FarSocketRequest } from './forwarded-request.ts';

/** The longest message that another node may send. */
const MESSAGE_BYTES = 1 << 20;
/** How often the other node is asked for a sign of life; without one until the next time, it is gone. */
const PING_MS = 30_000;
/** Codes of RFC 6455, section 7.4.1; no endpoint may send the second and third, which say that there was none. */
const [GOING_AWAY, NO_CODE, NO_END] = [1001, 1005, 1006];

/** The client's end of a WebSocket at another node: the part of the package `ws`, which has no types, that is used. */
interface FarSocket extends EventEmitter {
  readonly isPaused: boolean;
  pause(): void;
  resume(): void;
  send(bytes: Uint8Array, options: { readonly binary: boolean }, onSent: () => void): void;
  ping(): void;
  close(): void;
  terminate(): void;
}
/** It can stop reading, unlike the WebSockets of undici. */
const loadWs = lazyPackage<new (url: string, options: object) => FarSocket>('ws', import.meta.url);

/**
 * Resolves with a WebSocket at another node, or with what that node says instead. Rejects if there is no answer in time. `ends`
 * has what ends it, while there is something to end; so does the signal.
 */
export function openFarSocket(
  address: string,
  trust: ConnectionOptions,
  timeoutMs: number,
  { path, headers, signal }: FarSocketRequest,
  ends: Set<() => void>,
): Promise<ForwardedAnswer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const far = new (loadWs())(`wss://${address}`, {
      ...trust,
      headers,
      handshakeTimeout: timeoutMs,
      maxPayload: MESSAGE_BYTES,
      perMessageDeflate: false,
      finishRequest: (request: ClientRequest) => {
        request.path = path; // in a URL, it would lose a part such as `..`
        request.end();
      },
    });
    const end = () => far.terminate();
    ends.add(end);
    signal.addEventListener('abort', end);
    const closed = new Promise<number>((close) => far.once('close', close)).finally(() => {
      ends.delete(end);
      signal.removeEventListener('abort', end);
    });
    far.on('error', (error) => reject(signal.aborted ? signal.reason : error));
    far.on('unexpected-response', (_, response: IncomingMessage) => {
      const { statusCode = 500, headers: given } = response;
      toAnswer({ statusCode, headers: given, body: response }).then(resolve, reject).finally(end);
    });
    far.once('open', () => {
      far.pause(); // until there is somebody to send to
      resolve(new WebSocketReply((client) => connect(client, far, closed)));
    });
  });
}

/** Passes on what both ends send, at the pace of the slower one, until one of them closes. */
function connect(client: SocketClient, far: FarSocket, closed: Promise<number>): () => void {
  let isHeard = true;
  far.on('pong', () => (isHeard = true));
  far.on('message', (bytes: Buffer, isBinary: boolean) => {
    far.pause();
    void client.send(isBinary ? bytes : bytes.toString()).then(() => {
      isHeard = true;
      far.resume();
    });
  });
  far.resume();
  const watch = setInterval(() => {
    if (!isHeard && !far.isPaused) return far.terminate();
    isHeard = false;
    far.ping();
  }, PING_MS);
  void closed.then((code) => {
    clearInterval(watch);
    client.close(code === NO_CODE || code === NO_END ? GOING_AWAY : code);
  });
  void sendAll(client, far);
  return () => undefined; // `sendAll` sees that the client has gone, and first sends what it has left
}

async function sendAll({ messages }: SocketClient, far: FarSocket): Promise<void> {
  for await (const { bytes, isText } of messages)
    await new Promise<void>((resolve) => far.send(bytes, { binary: !isText }, resolve));
  far.close();
}
