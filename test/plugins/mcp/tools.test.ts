/** What agents see of the routes, what becomes of their arguments and answers, and what is left of a call. */
import { EventEmitter, once } from 'node:events';
import * as assert from '../../support/assert.ts';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { definePlugin } from '../../../kernel/contract/plugin.ts';
import { reply } from '../../../kernel/contract/reply.ts';
import { NamedObject, Type } from '../../../kernel/schema.ts';
import { Agent } from '../../../plugins/mcp/agent.ts';
import { CallBudget } from '../../../plugins/mcp/call-budget.ts';
import mcp from '../../../plugins/mcp/index.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { apiToken, connected, post, request, said, type Members } from './client.ts';

const test = testSuite('mcp: tools');
const Any = Type.Unsafe<Members>({});
/** Hears from the route `wait`, which waits for the end of its client. */
const steps = new EventEmitter();

/** Owns features of the catalogue. */
const things = definePlugin({
  name: 'things',
  features: ['dns', 'pm2'],
  routes: {
    put: {
      method: 'PUT',
      path: ['/api/things/:id/*rest', '/api/old-things/:id/*rest'],
      summary: 'Put a thing somewhere',
      description: 'It stays there.',
      params: Type.Object({ id: Type.Integer({ minimum: 1 }), rest: Type.String({ maxLength: 100 }) }),
      query: Type.Object({ force: Type.Boolean({ default: false }), n: Type.Optional(Type.Integer()) }),
      body: NamedObject('Thing', {
        text: Type.String({ maxLength: 10 }),
        tags: Type.Array(Type.String(), { default: [] }),
      }),
      reply: Any,
    },
    big: {
      method: 'GET',
      path: '/api/big',
      summary: 'Much text',
      query: Type.Object({ bytes: Type.Integer() }),
      reply: Any,
    },
    image: {
      method: 'GET',
      path: '/api/image',
      summary: 'A picture',
      query: Type.Object({ bytes: Type.Integer() }),
      reply: Type.String(),
      produces: ['image/png'],
    },
    plain: { method: 'GET', path: '/api/plain', summary: 'Plain text', reply: Type.String(), produces: ['text/plain'] },
    broken: { method: 'GET', path: '/api/broken', summary: 'Broken', reply: Any },
    wait: { method: 'GET', path: '/api/wait', summary: 'Wait', reply: Any },
    hidden: { method: 'GET', path: '/api/hidden', summary: 'For pages', described: false, reply: Any },
    open: { method: 'GET', path: '/api/open', summary: 'Open', access: 'guest', tokens: { area: 'dns' }, reply: Any },
  },
  setup: () => ({
    handlers: {
      put: ({ params, query, body }) => ({ params, query, body }),
      big: ({ query }) => ({ text: 'x'.repeat(query.bytes) }),
      image: ({ query }) => reply(Buffer.alloc(query.bytes, 1), { type: 'image/png' }),
      plain: () => reply('not <b>JSON</b>', { type: 'text/plain' }),
      broken: () => Promise.reject(new Error('password=hunter2 in /etc/secret')),
      wait: async ({ signal }) => {
        const gone = once(signal, 'abort');
        steps.emit('waiting');
        await gone;
        steps.emit('ended');
        return {};
      },
      hidden: () => ({}),
      open: () => ({}),
    },
  }),
});

let server: TestServer;
let ann: Account;
let agent: { token: string; id: string };
let client: Client;
test.before(async () => {
  server = await TestServer.start({ plugins: [mcp, things], config: { plugins: { mcp: true } } });
  ann = await server.account('ann');
  agent = await apiToken(server, ann, ['dns:read', 'dns:write']);
  client = await connected(server, agent.token);
});

const put = (given: Members) => said(client, 'things_put', given);
const eventsOf = async () => {
  const found = await server.hostkeep.core.events.find({ type: 'mcp.called', username: 'ann' }, 1000);
  return found.map(({ data, line }) => ({ data, line }));
};

test('an agent reads names, words and arguments of the routes', async () => {
  const { tools } = await client.listTools();
  assert.equal(
    tools.map(({ name }) => name),
    ['things_put', 'things_big', 'things_image', 'things_plain', 'things_broken', 'things_wait'],
  );
  const [tool] = tools;
  assert.equal([tool?.title, tool?.description], ['Put a thing somewhere', 'Put a thing somewhere. It stays there.']);
  assert.equal(tool?.inputSchema.required, ['id', 'rest', 'text']);
  assert.equal(Object.keys(tool?.inputSchema.properties ?? {}), ['id', 'rest', 'force', 'n', 'text', 'tags']);
  const { readOnlyHint, destructiveHint, idempotentHint } = tool?.annotations ?? {};
  assert.equal([readOnlyHint, destructiveHint, idempotentHint], [false, true, true]);
  assert.equal(client.getServerVersion()?.name, 'hostkeep');
  assert.match(client.getInstructions() ?? '', /never instructions/);
});

test('arguments that do not fit are refused in words', async () => {
  const good = { id: 7, rest: 'a', text: 'x' };
  const bad: [Members, RegExp][] = [
    [{ ...good, more: 1 }, /^arguments\/more is not known here$/],
    [{ ...good, params: { id: 8 } }, /^arguments\/params is not known here$/],
    [{ rest: 'a', text: 'x' }, /^arguments\/id is required$/],
    [{ ...good, rest: '' }, /^arguments\/rest is required$/],
    [{ ...good, id: 0 }, /^path\/id must be at least 1$/],
    [{ ...good, id: 'seven' }, /^path\/id must be a whole number$/],
    [{ ...good, id: [7] }, /^arguments\/id must be a text, a number, true or false$/],
    [{ ...good, id: { toString: '7' } }, /^arguments\/id must be a text/],
    [{ ...good, n: null }, /^arguments\/n must be a text/],
    [{ ...good, rest: 'x'.repeat(101) }, /^path\/rest must have at most 100 characters$/],
    [{ ...good, rest: '\ud800' }, /is not valid Unicode$/],
    [{ ...good, n: '1&force=true' }, /^query\/n must be a whole number$/],
    [{ ...good, text: 5 }, /^body\/text must be text, and is a number$/],
    [{ ...good, text: 'x'.repeat(50_000) }, /^body\/text must have at most 10 characters$/],
    [{ id: 7, rest: 'a' }, /^body\/text is missing$/],
    [{ ...good, tags: [[[[]]]] }, /^body\/tags\/0 must be text, and is a list \[ … \]$/],
  ];
  for (const [given, detail] of bad) {
    const { failed, value } = await put(given);
    const where = JSON.stringify(given).slice(0, 80);
    assert.equal([failed, value['error'], value['status']], [true, 'invalid_request', 400], where);
    assert.match(String(value['detail']), detail, where);
  }
});

test('hostile arguments reach no prototype, no other route and no stack', async () => {
  const text = (given: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"things_put","arguments":${given}}}`;
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  for (const given of [
    '{"__proto__":{"id":7},"rest":"a","text":"x"}',
    '{"constructor":{"prototype":{"id":7}},"rest":"a","text":"x"}',
    `{"id":7,"rest":"a","text":"x","tags":${deep}}`,
    `{"id":7,"rest":"a","text":"x","hasOwnProperty":1}`,
  ]) {
    const { status, body } = await post(server, text(given), {
      token: agent.token,
      headers: { 'content-type': 'application/json' },
    });
    const { isError, content } = body['result'] as { isError: boolean; content: { text: string }[] };
    assert.equal([status, isError], [200, true], given.slice(0, 60));
    assert.match(content[0]?.text ?? '', /"error":"invalid_request"/, given.slice(0, 60));
  }
  assert.is(({} as Members)['id'], undefined);
  for (const rest of ['../../api/broken', 'a?force=true', 'a%2Fb', 'a\u0000b', '\r\nX: y', '#', '✓']) {
    const { failed, value } = await put({ id: 7, rest, text: 'x' });
    assert.equal([failed, value['params'], value['query']], [false, { id: 7, rest }, { force: false }], rest);
  }
});

test('a route gets what its client would have sent', async () => {
  const { failed, value } = await put({ id: '7', rest: 'a/b', force: true, n: 3, text: 'x', tags: ['y'] });
  assert.not.ok(failed);
  assert.equal(value, {
    params: { id: 7, rest: 'a/b' },
    query: { force: true, n: 3 },
    body: { text: 'x', tags: ['y'] },
  });
});

// threat oversized-replies: an agent gets a bounded part of what a route returns, or nothing
test('what is too large for an agent is refused, with what to do', async () => {
  for (const [name, bytes, most] of [
    ['things_big', 65_537, 65_536],
    ['things_image', 1_048_577, 1_048_576],
  ] as const) {
    const { failed, value } = await said(client, name, { bytes });
    assert.equal([failed, value['error'], value['status']], [true, 'reply_too_large', 507]);
    assert.match(String(value['detail']), new RegExp(`at most ${most}: ask for less`));
  }
  assert.is((await said(client, 'things_big', { bytes: 65_000 })).failed, false);
});

test('pictures and plain text come as what they are', async () => {
  const { content } = await client.callTool({ name: 'things_image', arguments: { bytes: 3 } });
  assert.equal(content, [{ type: 'image', data: 'AQEB', mimeType: 'image/png' }]);
  const plain = await client.callTool({ name: 'things_plain', arguments: {} });
  assert.equal(plain.content, [{ type: 'text', text: 'not <b>JSON</b>' }]);
});

// threat leaked-secrets: the cause of an internal error stays in the log
test('an error inside says nothing of its cause', async () => {
  const { failed, value } = await said(client, 'things_broken');
  assert.equal([failed, value['error'], value['status']], [true, 'internal_error', 500]);
  assert.not.match(JSON.stringify(value), /hunter2|secret/);
  const told: unknown[] = [];
  const host = {
    log: { error: (...line: unknown[]) => void told.push(line) },
    node: { calls: { usable: () => assert.unreachable('hunter2') } },
  };
  const broken = new Agent(host as never, { requestId: '1' } as never);
  await broken.handle('tools/list', {}).then(
    () => assert.unreachable(),
    (error: Error) => assert.is(error.message, 'Internal error'),
  );
  assert.match(String((told[0] as [{ err: Error }])[0].err), /hunter2/);
});

test('a route learns that its client has gone', async () => {
  const controller = new AbortController();
  const [waiting, ended] = [once(steps, 'waiting'), once(steps, 'ended')];
  const gone = fetch(`${server.hostkeep.url('user')}/mcp`, {
    method: 'POST',
    signal: controller.signal,
    headers: {
      authorization: `Bearer ${agent.token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify(request('tools/call', { name: 'things_wait' })),
  });
  await waiting;
  controller.abort();
  const outcome = await gone.then(
    ({ status }) => status,
    ({ name }: Error) => name,
  );
  assert.is(outcome, 'AbortError');
  const heard = await ended;
  assert.equal(heard, []);
});

test('clients do not meet: ids and notifications of one are nothing to another', async () => {
  const other = await connected(server, (await apiToken(server, await server.account('bob'), ['dns:read'])).token);
  const both = await Promise.all([client, other].map((each) => Promise.all([1, 2, 3].map(() => each.listTools()))));
  assert.equal(
    both.map((lists) => lists.map(({ tools }) => tools.length)),
    [
      [6, 6, 6],
      [5, 5, 5],
    ],
  );
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  const { status, body } = await post(server, cancelled, { token: agent.token });
  assert.equal([status, body], [202, '']);
});

test('every call is an event of the account, whatever comes of it; lists are none', async () => {
  const before = (await eventsOf()).length;
  await client.listTools();
  await client.listResources();
  await client.callTool({ name: 'nothing' }).catch(() => undefined);
  assert.is((await eventsOf()).length, before);
  await said(client, 'things_plain').catch(() => undefined);
  await put({});
  const session = await connected(server, await server.token(ann));
  await said(session, 'things_put', { id: 7, rest: 'a', text: 'x' });
  const [read, refused, guarded] = (await eventsOf()).slice(before);
  assert.equal(read?.data, { tool: 'things_plain', token_id: agent.id });
  assert.match(read?.line ?? '', /User 'ann' called the tool things_plain from IP 127\.0\.0\.1$/);
  assert.equal(refused?.data, { tool: 'things_put', token_id: agent.id });
  assert.equal(guarded?.data, { tool: 'things_put', token_id: null });
});

test('without an event there is no call', async () => {
  const { store } = server.hostkeep.core;
  const { write } = store;
  store.write = () => Promise.reject(new Error('the disk is full'));
  const { failed, value } = await said(client, 'things_big', { bytes: 1 });
  store.write = write;
  assert.equal([failed, value['error']], [true, 'internal_error']);
});

test('an account has so many calls a minute, and those beyond are no events', async () => {
  const few = await TestServer.start({
    plugins: [mcp, things],
    config: { plugins: { mcp: true }, mcp: { calls_per_minute: 2 } },
  });
  const [carl, dora] = [await few.user('carl'), await few.user('dora')];
  const clients = [await connected(few, carl.token), await connected(few, carl.token)];
  for (const each of clients) assert.is((await said(each, 'things_big', { bytes: 1 })).failed, false);
  for (const each of clients) {
    await each.listTools();
    const { failed, value } = await said(each, 'things_big', { bytes: 1 });
    assert.equal([failed, value['error'], value['status']], [true, 'rate_limited', 429]);
    assert.match(String(value['detail']), /at most 2 calls a minute: wait \d+ s$/);
  }
  assert.is((await said(await connected(few, dora.token), 'things_big', { bytes: 1 })).failed, false);
  assert.is((await few.hostkeep.core.events.find({ type: 'mcp.called', username: 'carl' }, 9)).length, 2);
});

test('an answer tells how many calls are left in the minute', async () => {
  const few = await TestServer.start({
    plugins: [mcp, things],
    config: { plugins: { mcp: true }, mcp: { calls_per_minute: 2 } },
  });
  const { token } = await few.user('rita');
  const ask = (method: string) =>
    few.ask<{ result: unknown }>('/mcp', {
      ...{ method: 'POST', token, headers: { accept: 'application/json, text/event-stream' } },
      body: { jsonrpc: '2.0', id: 1, method, params: { name: 'things_big', arguments: { bytes: 1 } } },
    });
  const { headers } = await ask('tools/call');
  assert.is(headers.get('ratelimit-policy'), '"calls";q=2;w=60');
  assert.match(headers.get('ratelimit') ?? '', /^"calls";r=1;t=\d+$/);
  assert.is((await ask('tools/list')).headers.get('ratelimit'), null, 'lists are no calls');
});

test('a minute later, an account may call again', () => {
  let nowMs = 0;
  const budget = new CallBudget(1, () => nowMs);
  budget.take(1);
  nowMs = 59_999;
  assert.throws(() => budget.take(1), /wait 1 s/);
  budget.take(2);
  nowMs = 60_000;
  budget.take(1);
  assert.throws(() => budget.take(1), /wait 60 s/);
});
