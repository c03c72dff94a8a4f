import { fail } from '../../kernel/errors.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { ready, reply, Stream, type Sink } from '../../kernel/contract/reply.ts';
import { Type } from '../../kernel/schema.ts';

const Any = Type.Object({});
const Echo = Type.Object(
  { text: Type.String({ maxLength: 100 }), times: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })) },
  { additionalProperties: false },
);

/** Holds a request to `wait` open, and records that its client disconnected. */
export class Gate {
  readonly entered: Promise<void>;
  enter: () => void = () => {};
  open: () => void = () => {};
  readonly opened: Promise<void>;
  aborted = false;

  constructor() {
    this.entered = new Promise((resolve) => (this.enter = resolve));
    this.opened = new Promise((resolve) => (this.open = resolve));
  }
}

/** A plugin that uses every part of the contract; it owns two features of the catalogue. */
export function probePlugin(gate = new Gate(), sinks: Sink[] = []) {
  const wait = async ({ signal }: { readonly signal: AbortSignal }) => {
    signal.addEventListener('abort', () => (gate.aborted = true));
    gate.enter();
    await gate.opened;
    return { waited: true };
  };
  const stream = () =>
    new Stream('text/event-stream', (sink) => {
      sinks.push(sink);
      sink.write('data: first\n\n');
      return () => void sinks.splice(sinks.indexOf(sink), 1);
    });
  return definePlugin({
    name: 'probe',
    features: ['dns', 'pm2'],
    config: Type.Object({ word: Type.String({ default: 'hello' }) }, { additionalProperties: false }),
    routes: {
      open: { method: 'GET', path: '/probe/open', address: 'both', access: 'guest', summary: 'for all', reply: Any },
      mine: { method: 'GET', path: '/probe/mine', access: 'user', summary: 'for users', reply: Any },
      gated: { method: 'GET', path: '/probe/gated', summary: 'for holders of dns', reply: Any },
      either: {
        method: 'GET',
        path: '/probe/either',
        feature: { any: ['dns', 'pm2'], all: ['waf'] },
        summary: 'for some',
        reply: Any,
      },
      admin: {
        method: 'GET',
        path: '/probe/admin',
        address: 'admin',
        access: 'admin',
        summary: 'for admins',
        reply: Any,
      },
      query: {
        method: 'GET',
        path: '/probe/query',
        access: 'guest',
        summary: 'echoes a query',
        query: Type.Object({ q: Type.String({ default: '' }), n: Type.Integer({ default: 1, maximum: 10 }) }),
        reply: Any,
      },
      item: {
        method: 'GET',
        path: '/probe/items/:id/:part',
        access: 'guest',
        summary: 'echoes a path',
        params: Type.Object({ id: Type.Integer(), part: Type.String() }),
        reply: Any,
      },
      rest: {
        method: 'GET',
        path: '/probe/rest/*path',
        access: 'guest',
        summary: 'echoes the rest',
        params: Type.Object({ path: Type.String() }),
        reply: Any,
      },
      echo: {
        method: 'POST',
        path: '/probe/echo',
        access: 'guest',
        summary: 'echoes a body',
        body: Echo,
        reply: Echo,
        status: 201,
      },
      put: { method: 'PUT', path: '/probe/echo', summary: 'echoes a body', body: Echo, reply: Echo },
      wait: { method: 'GET', path: '/probe/wait', access: 'guest', summary: 'waits', reply: Any },
      linger: { method: 'GET', path: '/probe/linger', access: 'user', summary: 'waits for users', reply: Any },
      bytes: {
        method: 'GET',
        path: '/probe/bytes',
        access: 'guest',
        summary: 'sends bytes',
        produces: ['image/png'],
        reply: Any,
      },
      large: {
        method: 'GET',
        path: '/probe/large',
        access: 'guest',
        summary: 'sends a text as JSON or as bytes',
        query: Type.Object({
          characters: Type.Integer(),
          of: Type.String(),
          asBytes: Type.Boolean({ default: false }),
        }),
        reply: Type.String(),
      },
      header: {
        method: 'GET',
        path: '/probe/header',
        access: 'guest',
        summary: 'sends a header',
        headers: ['x-echo'],
        query: Type.Object({ value: Type.String() }),
        reply: Any,
      },
      fails: {
        method: 'GET',
        path: '/probe/fails',
        access: 'guest',
        summary: 'throws',
        query: Type.Object({ how: Type.String() }),
        reply: Any,
      },
      misfit: {
        method: 'GET',
        path: '/probe/misfit',
        access: 'guest',
        summary: 'answers what its schema does not say',
        reply: Type.Object({ n: Type.Integer() }),
      },
      stream: {
        method: 'GET',
        path: '/probe/stream',
        access: 'user',
        summary: 'streams',
        produces: ['text/event-stream'],
        reply: Any,
      },
      gatedStream: {
        method: 'GET',
        path: '/probe/gated-stream',
        feature: { all: ['pm2'] },
        summary: 'streams to holders of dns and pm2',
        produces: ['text/event-stream'],
        reply: Any,
      },
      feed: {
        method: 'GET',
        path: '/probe/feed',
        access: 'guest',
        summary: 'streams to guests',
        produces: ['text/event-stream'],
        reply: Any,
      },
      ip: {
        method: 'GET',
        path: '/probe/ip',
        access: 'guest',
        summary: 'returns the address',
        query: Type.Object({ later: Type.Boolean({ default: false }) }),
        reply: Any,
      },
    },
    setup: ({ config }) => ({
      handlers: {
        open: () => ({ word: config.word }),
        mine: ({ account }) => ({ username: account.username }),
        gated: async ({ account }) => ({ username: account.username }),
        either: () => ({}),
        admin: () => ({}),
        query: ({ query }) => query,
        item: ({ params }) => params,
        rest: ({ params }) => params,
        echo: ({ body }) => body,
        put: ({ body }) => body,
        wait,
        linger: wait,
        bytes: () =>
          reply(Uint8Array.of(1, 2, 3), { type: 'image/png', headers: { ETag: '"x"', 'Cache-Control': 'private' } }),
        large: ({ query: { characters, of, asBytes } }) => {
          const text = of.repeat(characters);
          return asBytes ? reply(Buffer.from(JSON.stringify(text))) : text;
        },
        header: (call) => ready({ echo: call.header('x-echo') }, { headers: { 'X-Value': call.query.value } }),
        fails: (call) => {
          const { query } = call;
          if (query.how === 'undeclared header') return { cookie: call.header('cookie' as never) };
          if (query.how === 'later') return Promise.reject(new Error('secret cause'));
          if (query.how === 'busy') throw fail.overloaded('come back', { retryAfterSeconds: 1.2 });
          throw new Error('secret cause');
        },
        misfit: () => ({ n: 'one' }) as unknown as { n: number },
        stream,
        gatedStream: stream,
        feed: stream,
        ip: (call) =>
          call.query.later ? new Promise((resolve) => setImmediate(() => resolve({ ip: call.ip }))) : { ip: call.ip },
      },
    }),
  });
}
