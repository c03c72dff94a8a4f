import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Readable } from 'node:stream';
import type { Socket } from 'node:net';
import { HttpError, errorMessage } from '../../kernel/errors.ts';
import type { JobPool } from '../../kernel/kit/jobs/job-pool.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { readJson } from '../../kernel/kit/verb-arguments.ts';
import { assertFits } from '../../kernel/areas/moves/arriving-files.ts';
import { openMovePool } from '../../kernel/areas/moves/moved-tree.ts';
import { MovedFiles } from './files/moved-files.ts';
import { assertPlugins } from './admission.ts';
import { forMovers, gatherMoveParts } from './parts.ts';
import { readMove, setState, type Move } from './rows.ts';
import {
  AHEAD_BYTES,
  readBringing,
  toFailure,
  REQUESTS,
  type Bringing,
  type Digest,
  type RequestName,
} from './wire.ts';
import { fail } from './errors.ts';

/** The longest silence of a node that sends files, and of a connection on which an answer is prepared. */
const SILENCE_MS = 60_000;
const IDLE_MS = 900_000;

type Parts = Pick<Host, 'store' | 'jobs' | 'log' | 'node' | 'gather'> & { readonly here: string };
interface Asked {
  readonly name: RequestName;
  readonly query: URLSearchParams;
  readonly move: Move;
  readonly request: IncomingMessage;
  /** The request's body; a request whose body is no longer read can still be answered. */
  readonly body: Readable;
}
/** The node at the other end, by the certificate that it has shown. */
type Peers = WeakMap<object, string>;

/**
 * Takes in the accounts that move to this node. It does for another node only what the store says: that this account moves
 * from that node to this one, by the run of the command that asks.
 */
export class Receiver {
  readonly #parts: Parts;
  readonly #pool: JobPool;
  readonly #server: Server;
  readonly #peers: Peers = new WeakMap();
  /** Work in progress for an account, which the next request ends. */
  readonly #running = new Map<string, { readonly abort: AbortController; readonly done: Promise<unknown> }>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#pool = openMovePool(parts.jobs);
    this.#server = createServer({ requestTimeout: 0, keepAliveTimeout: SILENCE_MS }, (request, response) => {
      void this.#answer(request).then(({ status, body }) => {
        // The rest of the request may still be on its way: with the connection closed, the answer would be lost.
        request.resume();
        response.statusCode = status;
        response.end(JSON.stringify(body));
      });
    });
    this.#server.timeout = IDLE_MS;
  }

  /** Serves a connection of another node. */
  accept(socket: Socket, node: string): void {
    this.#peers.set(socket, node);
    this.#server.emit('connection', socket);
  }

  /** Ends what is being done. The nodes that ask see a closed connection, or 503 `node_unreachable`. */
  async close(): Promise<void> {
    const reason = fail.node_unreachable('the server is stopping', { retryAfterSeconds: 15 });
    for (const { abort } of this.#running.values()) abort.abort(reason);
    this.#server.closeAllConnections();
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done));
    await this.#pool.close();
  }

  /** Never rejects. */
  async #answer(request: IncomingMessage): Promise<{ readonly status: number; readonly body: unknown }> {
    try {
      const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://node');
      const name = pathname.slice(1) as RequestName;
      if (!Object.hasOwn(REQUESTS, name) || request.method !== REQUESTS[name])
        throw fail.not_found('there is no such request between nodes');
      const move = await this.#admitted(request, query.get('username') ?? '', query.get('claim') ?? '');
      const ahead = { objectMode: false, highWaterMark: AHEAD_BYTES };
      const body = Readable.from(request.iterator({ destroyOnReturn: false }), ahead);
      body.on('error', () => undefined); // whoever reads is told, and nobody may any more
      const asked = { name, query, move, request, body };
      return { status: 200, body: await this.#alone(move, request, (signal) => this.#do(asked, signal)) };
    } catch (error) {
      const known = error instanceof HttpError ? error : fail.internal_error(errorMessage(error));
      this.#parts.log.warn({ err: error }, 'a move to this node was refused or failed');
      return { status: known.status, body: toFailure(known) };
    }
  }

  async #admitted(request: IncomingMessage, username: string, claim: string): Promise<Move> {
    const move = await readMove(this.#parts.store, username);
    const isMeant = move?.source === this.#peers.get(request.socket) && move?.target === this.#parts.here;
    if (move === undefined || !isMeant || move.claim !== claim || move.state === 'switched')
      throw fail.move_refused('the store knows of no such move to this node');
    return move;
  }

  /** A request takes the place of the one before it for the account, whose client has gone. */
  async #alone<T>({ username }: Move, request: IncomingMessage, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const before = this.#running.get(username);
    before?.abort.abort(new Error('another request of this move has come'));
    const abort = new AbortController();
    abort.signal.addEventListener('abort', () => request.destroy(), { once: true }); // the rest of its body may never come
    const gone = () => abort.abort(new Error('the other node has closed the connection'));
    const { socket } = request;
    socket.once('close', gone);
    const done = Promise.resolve(before?.done)
      // answered to the request before
      .catch(() => undefined)
      .then(() => work(abort.signal));
    const entry = { abort, done };
    this.#running.set(username, entry);
    try {
      return await done;
    } finally {
      socket.off('close', gone);
      if (this.#running.get(username) === entry) this.#running.delete(username);
    }
  }

  async #do(asked: Asked, signal: AbortSignal): Promise<unknown> {
    const { name, move, request, body } = asked;
    signal.throwIfAborted();
    const account = { id: move.accountId, username: move.username };
    const isUrgent = move.state === 'read_only';
    const files = new MovedFiles(this.#parts.jobs, this.#pool, account, signal, isUrgent);
    switch (name) {
      case 'begin':
        return this.#begin(move, files, readBringing(await readJson(body)));
      case 'files':
        assertHasFiles(move);
        request.setTimeout(SILENCE_MS);
        await files.unpack(body as AsyncIterable<Buffer>);
        request.setTimeout(IDLE_MS);
        return undefined;
      case 'digest':
        assertHasFiles(move);
        return { digest: await files.digest() } satisfies Digest;
      case 'part':
        assertHasFiles(move);
        return this.#arrive(asked, signal);
      case 'discard':
        if (move.state !== 'begun') await this.#discard(move, files);
    }
    return undefined;
  }

  /** Has a plugin answer what the same one asks at the old home. */
  async #arrive({ query, move, body }: Asked, signal: AbortSignal): Promise<unknown> {
    const { accountId: id, username } = move;
    const [plugin = '', name = '', about = ''] = ['plugin', 'name', 'about'].map((key) => query.get(key) ?? '');
    const mover = (await gatherMoveParts(this.#parts)).get(plugin)?.mover;
    if (mover === undefined) throw fail.move_refused(`what the account uses is off: ${plugin}`);
    return mover.arrive({ account: { id, username }, name, about, body, signal });
  }

  async #discard({ accountId: id, username }: Move, files: MovedFiles): Promise<void> {
    await forMovers(this.#parts, (mover) => mover.discard({ id, username }));
    await files.remove();
  }

  async #begin(move: Move, files: MovedFiles, { bytes, inodes, plugins }: Bringing): Promise<void> {
    assertPlugins(this.#parts.node, plugins);
    if (move.state !== 'begun') await this.#discard(move, files);
    const room = await files.room();
    if (room.exists)
      throw fail.move_refused(
        `${files.path} is there already, and nothing is overwritten: move it away, unless both nodes share this folder`,
      );
    assertFits({ bytes, inodes }, room);
    if (move.state === 'begun') await this.#parts.store.write((tx) => setState(tx, move, 'copying'));
  }
}

function assertHasFiles({ state }: Move): void {
  if (state === 'begun') throw fail.move_refused('the move has not begun here');
}
