/**
 * Serves restic's REST protocol over one connection, in the account's own process: what restic asks becomes questions to the
 * service, which has the repository. Locks stay here, because the service has runs take turns.
 */
import { createServer, constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { JobContext } from '../jobs/job.ts';
import { KINDS, NAME, PART_BYTES, type ObjectName, type RepositoryQuestion } from './questions.ts';

const { HTTP2_HEADER_METHOD: METHOD, HTTP2_HEADER_PATH: PATH, HTTP2_HEADER_STATUS: STATUS } = constants;
const LIST_TYPE = 'application/vnd.x.restic.rest.v2';
/** Requests at once: each asks the service one question at a time. */
const STREAMS = 8;
const WINDOW_BYTES = 1 << 20;
/** A lock is some lines of JSON; a run makes one, and replaces it every few minutes. */
const LOCKS = 16;
const LOCK_BYTES = 16 << 10;

type Target = ObjectName | 'locks';

export class RepositoryServer {
  /** Bytes of objects that restic has read. */
  readBytes = 0;
  readonly #ask: JobContext['ask'];
  readonly #onFailure: (error: Error) => void;
  readonly #locks = new Map<string, Buffer>();

  /** `onFailure` gets what the service refuses: restic would try again for many minutes. */
  constructor(ask: JobContext['ask'], onFailure: (error: Error) => void) {
    this.#onFailure = onFailure;
    this.#ask = (question, bytes) =>
      ask(question, bytes).catch((error: Error) => {
        onFailure(error);
        throw error;
      });
  }

  serve(connection: Duplex): void {
    const server = createServer({ settings: { maxConcurrentStreams: STREAMS, initialWindowSize: WINDOW_BYTES } });
    server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      stream.on('error', () => undefined); // restic has gone, which its end tells
      this.#serve(stream, headers).catch(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
    });
    server.on('sessionError', (error: NodeJS.ErrnoException) => {
      // restic that ends leaves what it need not read, which resets the connection: its end says whether it succeeded
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') this.#onFailure(error);
    });
    connection.on('error', () => undefined); // as above
    server.emit('connection', connection);
  }

  async #serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const [, kind = '', name = ''] = String(headers[PATH]).split('?')[0]?.split('/') ?? [];
    const method = headers[METHOD];
    const target = targetOf(kind, name);
    if (target === undefined) return empty(stream, 404);
    if (target === 'locks') return this.#serveLock(stream, String(method), name);
    if (method === 'GET' && target.name === '' && target.kind !== 'config') return this.#list(stream, target.kind);
    if (method === 'POST') return this.#add(stream, target);
    if (method !== 'GET' && method !== 'HEAD') return empty(stream, 403);
    const size = (await this.#question({ repository: 'stat', ...target })) as number | null;
    if (size === null) return empty(stream, 404);
    if (method === 'HEAD') return empty(stream, 200, { 'content-length': size });
    return this.#read(stream, target, size, String(headers['range'] ?? ''));
  }

  async #list(stream: ServerHttp2Stream, kind: ObjectName['kind']): Promise<void> {
    const found = await this.#question({ repository: 'list', kind });
    answer(stream, JSON.stringify(found), LIST_TYPE);
  }

  async #read(stream: ServerHttp2Stream, target: ObjectName, size: number, range: string): Promise<void> {
    const [, from, to] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(range) ?? [];
    const start = Number(from ?? 0);
    const end = to === undefined || to === '' ? size : Math.min(size, Number(to) + 1);
    if (start >= end && size > 0) return empty(stream, 416);
    stream.respond({ [STATUS]: from === undefined ? 200 : 206, 'content-length': end - start });
    for (let offset = start; offset < end;) {
      const length = Math.min(PART_BYTES, end - offset);
      const { bytes } = await this.#ask({ repository: 'read', ...target, offset, length });
      if (bytes.length === 0) throw new Error('an object of the repository became shorter');
      offset += bytes.length;
      this.readBytes += bytes.length;
      if (stream.destroyed) return;
      if (!stream.write(bytes)) await Promise.race([once(stream, 'drain'), once(stream, 'close')]);
    }
    stream.end();
  }

  async #add(stream: ServerHttp2Stream, target: ObjectName): Promise<void> {
    const upload = (await this.#question({ repository: 'begin', ...target })) as number;
    for await (const chunk of stream as AsyncIterable<Buffer>)
      for (let at = 0; at < chunk.length; at += PART_BYTES)
        await this.#ask({ repository: 'write', upload }, chunk.subarray(at, at + PART_BYTES));
    await this.#question({ repository: 'end', upload });
    empty(stream, 200);
  }

  async #serveLock(stream: ServerHttp2Stream, method: string, name: string): Promise<void> {
    const lock = this.#locks.get(name);
    if (method === 'POST') {
      const chunks: Buffer[] = [];
      for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      if (this.#locks.size >= LOCKS || bytes.length > LOCK_BYTES) return empty(stream, 403);
      this.#locks.set(name, bytes);
      return empty(stream, 200);
    }
    if (name === '') {
      const found = [...this.#locks].map(([each, { length }]) => ({ name: each, size: length }));
      return answer(stream, JSON.stringify(found), LIST_TYPE);
    }
    if (lock === undefined) return empty(stream, 404);
    if (method === 'DELETE') this.#locks.delete(name);
    if (method === 'GET') return answer(stream, lock, 'application/octet-stream');
    return empty(stream, 200, method === 'HEAD' ? { 'content-length': lock.length } : {});
  }

  async #question(question: RepositoryQuestion): Promise<unknown> {
    return (await this.#ask(question)).answer;
  }
}

function targetOf(kind: string, name: string): Target | undefined {
  if (name !== '' && !NAME.test(name)) return undefined;
  if (kind === 'locks') return kind;
  const known = KINDS.find((each) => each === kind);
  return known === undefined || (known === 'config' && name !== '') ? undefined : { kind: known, name };
}

function answer(stream: ServerHttp2Stream, body: string | Buffer, type: string): void {
  stream.respond({ [STATUS]: 200, 'content-type': type, 'content-length': Buffer.byteLength(body) });
  stream.end(body);
}

function empty(stream: ServerHttp2Stream, status: number, headers: Readonly<Record<string, number>> = {}): void {
  stream.respond({ [STATUS]: status, ...headers }, { endStream: true });
}
