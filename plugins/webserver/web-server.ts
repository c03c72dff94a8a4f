import { get } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { WebServerPart } from '../../kernel/contract/points/web-server-part.ts';

const POLL_MS = 10;
const CONNECT_MS = 1000;
/**
 * nginx stops its old workers 100 ms after starting new ones; until then either may answer. On a busy node that takes longer,
 * as each answer does: so there are also to be so many of the new ones in a row.
 */
const SETTLED = { ms: 250, answers: 10 };

/** Resolves when the server at a `listen` address serves the token of a reload. Rejects when it does not in time. */
export async function untilServed(
  { name }: { readonly name: string },
  { listen, timeoutMs }: { readonly listen: string; readonly timeoutMs: number },
  token: string,
): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  let [sinceMs, answers] = [0, 0];
  while (answers < SETTLED.answers || performance.now() - sinceMs < SETTLED.ms) {
    const isNew = (await fetchBody(listen, `${token}.hostkeep.invalid`, signal)) === token;
    answers = isNew ? answers + 1 : 0;
    if (answers === 1) sinceMs = performance.now();
    if (signal.aborted)
      throw new Error(`${name} does not serve the new configuration on ${listen} after ${timeoutMs} ms`);
    await delay(POLL_MS);
  }
}

/** Requests a host name from the server at a `listen` address and returns the body; empty when there is no reply. */
function fetchBody(listen: string, hostName: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const request = get(
      { ...connectAddress(listen), headers: { host: hostName }, agent: false, signal },
      (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += body.length < 64 ? chunk.toString() : ''));
        response.on('end', () => resolve(body));
        response.on('error', () => resolve(''));
      },
    );
    request.on('error', () => resolve(''));
  });
}

/** Resolves with the status of a page of the server at a `listen` address; 0 if nothing answers in time. */
export function statusAt(listen: string, hostName: string, path: string, timeoutMs: number): Promise<number> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const options = { ...connectAddress(listen), path, headers: { host: hostName }, agent: false, signal };
    const request = get(options, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    request.on('error', () => resolve(0));
  });
}

/**
 * Returns the address on this host at which to connect to a server that listens on `listen`, maybe on all addresses.
 */
export function connectAddress(listen: string): WebServerPart {
  const [, host = '', port] = /^(?:(.*):)?(\d+)$/.exec(listen) ?? [];
  return {
    host: host === '[::]' ? '::1' : ['', '*', '0.0.0.0'].includes(host) ? '127.0.0.1' : host.replace(/^\[|\]$/g, ''),
    port: Number(port),
  };
}

/** Whether a server accepts connections at an address. */
export function canConnect({ host, port }: WebServerPart): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS });
    const end = (isListening: boolean) => {
      socket.destroy();
      resolve(isListening);
    };
    socket
      .once('connect', () => end(true))
      .once('timeout', () => end(false))
      .once('error', () => end(false));
  });
}
