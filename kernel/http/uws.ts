import { createRequire } from 'node:module';
import type { HttpRequest, HttpResponse, WebSocket } from 'uWebSockets.js';

export type {
  TemplatedApp,
  us_listen_socket as ListenSocket,
  us_socket_context_t as UwsSocketContext,
  WebSocketBehavior as UwsSocketBehavior,
} from 'uWebSockets.js';
type Uws = typeof import('uWebSockets.js') & { readonly _cfg: (what: 'silent') => void };

/** A request, until its handler returns. Headers whose names are given as bytes are found in half the time. */
export interface UwsRequest extends Pick<HttpRequest, 'getHeader' | 'getMethod' | 'getUrl' | 'forEach'> {
  /** Returns `undefined` if the URL has no question mark, contrary to the package's types. */
  getQuery(): string | undefined;
  getParameter(index: number): string;
}

type Responding = 'onAborted' | 'onData' | 'onWritable' | 'pause' | 'resume' | 'getRemoteAddress' | 'cork';
type Writing = 'writeStatus' | 'writeHeader' | 'write' | 'tryEnd' | 'getWriteOffset' | 'end' | 'close' | 'upgrade';
/** The socket of a request, until it is answered or closed. */
export interface UwsResponse extends Pick<HttpResponse, Responding | Writing> {
  /** Declared without the package's parameters: with any argument, it never ends the reply and crashes the process. */
  endWithoutBody(): unknown;
}

/** A WebSocket, until it is closed. */
export type UwsSocket<T> = Pick<WebSocket<T>, 'send' | 'cork' | 'getBufferedAmount' | 'end' | 'getUserData'>;

/** The longest head that may come in several segments, as long ones do. The default, 4096, is less than a query with one path. */
const HEAD_BYTES = 16_384;

let loaded: Uws | undefined;

/**
 * Returns uWebSockets.js, which is loaded at first use, so that the error can be reported like any other: throws if its
 * binary for this version of Node.js does not run on this system.
 */
export function loadUws(): Uws {
  try {
    if (loaded !== undefined) return loaded;
    process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(HEAD_BYTES); // it is read when the binary is loaded
    loaded = createRequire(import.meta.url)('uWebSockets.js') as Uws;
    loaded['_cfg']('silent'); // replies do not name the program and its version
    return loaded;
  } catch (cause) {
    throw new Error(incompatibility(String(cause)), { cause });
  }
}

function incompatibility(cause: string): string {
  const node = `Node.js ${process.version} (ABI ${process.versions.modules})`;
  const needed = /GLIBC_([\d.]+)' not found/.exec(cause)?.[1];
  if (needed === undefined)
    return `uWebSockets.js has no binary for ${node} on ${process.platform} ${process.arch}: use Node.js 20, 22 or 24`;
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const found = header.glibcVersionRuntime ?? 'none';
  return `uWebSockets.js needs glibc ${needed} for ${node}, and this system has ${found}: use Node.js 20, or a newer system such as Debian 13`;
}
