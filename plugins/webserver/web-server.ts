import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { askSite } from '../../kernel/kit/net/ask-site.ts';
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
  const at = connectAddress(listen);
  let [sinceMs, answers] = [0, 0];
  while (answers < SETTLED.answers || performance.now() - sinceMs < SETTLED.ms) {
    const isNew = (await askSite(at, `${token}.hostkeep.invalid`, '/', signal)).body === token;
    answers = isNew ? answers + 1 : 0;
    if (answers === 1) sinceMs = performance.now();
    if (signal.aborted)
      throw new Error(`${name} does not serve the new configuration on ${listen} after ${timeoutMs} ms`);
    await delay(POLL_MS);
  }
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
export async function canConnect({ host, port }: WebServerPart): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS) });
    return true;
  } catch {
    return false; // nobody listens, or it takes too long
  } finally {
    socket.destroy();
  }
}
