/** Who may speak with `/mcp`, and how. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as assert from '../../support/assert.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import { TestServer, type Answer } from '../../support/hostkeep.ts';
import { rawRequest } from '../../support/raw.ts';
import { testSuite } from '../../support/suite.ts';
import { apiToken, post, request, type Members } from './client.ts';

const test = testSuite('mcp: door');
const LIST = request('tools/list');
let server: TestServer;
let ann: { account: Account; token: string };
let root: { account: Account; token: string };
test.before(async () => {
  server = await TestServer.start({
    config: {
      plugins: { mcp: true },
      cors_origins: ['https://desk.example'],
      screenshots: { remote_url: 'https://pictures.example/{domain}' },
    },
  });
  ann = await server.user('ann');
  root = await server.admin();
});

const errorOf = ({ status, body }: Answer<Members>) => [status, body['error']];
const rpcCodeOf = ({ status, body }: Answer<Members>) => [status, (body['error'] as Members | undefined)?.['code']];

test('it is off unless the configuration says otherwise', async () => {
  const plain = await TestServer.start();
  const tokens = { user: (await plain.user('ann')).token, admin: (await plain.admin()).token };
  for (const address of ['user', 'admin'] as const)
    assert.equal(errorOf(await post(plain, LIST, { token: tokens[address], address })), [404, 'not_found']);
});

test('the library is not loaded before somebody asks', async () => {
  // in a process of its own: other files of tests may have loaded it in this one
  const script = join(import.meta.dirname, 'loading.js');
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  assert.equal(JSON.parse(stdout), [false, 401, false, 200, true]);
});

test('without a token, or with one for the other address, it returns 401', async () => {
  const { account, token: suspended } = await server.user('sue');
  await server.hostkeep.core.accounts.suspend(account.username);
  const none: readonly (readonly [Address, string | undefined])[] = [
    ['user', undefined],
    ['admin', undefined],
    ['user', 'x.y.z'],
    ['user', root.token],
    ['admin', ann.token],
    ['user', suspended],
    ['admin', (await apiToken(server, ann.account, ['domains:read'])).token],
  ];
  for (const [address, token] of none) {
    const answer = await post(server, LIST, { address, ...(token !== undefined && { token }) });
    assert.equal(errorOf(answer), [401, 'authentication_required']);
    assert.is(answer.headers.get('www-authenticate'), 'Bearer');
  }
});

test('it has no stream to read and no session to end', async () => {
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const { status, headers } = await server.ask('/mcp', { method, token: ann.token });
    assert.equal([status, headers.get('allow')], [405, 'POST']);
  }
});

// threat open-usage-api: a web page of another origin is refused, whatever name it has for this server
test('web pages of other origins are refused', async () => {
  const from = (origin: string) => post(server, LIST, { token: ann.token, headers: { origin } });
  for (const origin of ['https://evil.example', 'null', 'https://desk.example.evil.example', 'http://127.0.0.1'])
    assert.equal(errorOf(await from(origin)), [403, 'origin_not_allowed'], origin);
  for (const origin of ['https://desk.example', server.hostkeep.url('user')])
    assert.is((await from(origin)).status, 200, origin);
  const text = await rawRequest(server.hostkeep.url('admin'), 'POST /mcp HTTP/1.1\r\nHost: evil.example\r\n\r\n');
  assert.match(text, /^HTTP\/1\.1 403 [^]*host_not_allowed/);
});

test('what is no message of the protocol is refused', async () => {
  const { token } = ann;
  const accept = { accept: 'application/json, text/event-stream' };
  const bad: readonly (readonly [unknown, Record<string, string>, number])[] = [
    [[LIST, LIST], {}, 400], // batches
    [[], {}, 400],
    ['{', {}, 400],
    ['null', {}, 400],
    [{ ...LIST, jsonrpc: '1.0' }, {}, 400],
    [{ ...LIST, id: { a: 1 } }, {}, 400],
    [{ ...LIST, id: null }, {}, 400],
    [{ ...LIST, params: [] }, {}, 400],
    [{ ...LIST, method: 'x'.repeat(101) }, {}, 400],
    [{ jsonrpc: '2.0', id: 1, result: {} }, {}, 400], // an answer, although nothing was asked
    [request('tools/call', { name: 'domains_list', arguments: [] }), {}, 400],
    [request('tools/call', { name: ['domains_list'] }), {}, 400],
    [LIST, { 'content-type': 'text/plain' }, 415],
    [LIST, { accept: 'text/html' }, 406],
    [LIST, { 'mcp-protocol-version': '1999-01-01' }, 400],
    [LIST, { 'mcp-protocol-version': '2025\u00fc06-18' }, 400],
    [request('tools/call', { name: 'domains_add', arguments: { domain_url: 'x'.repeat(70_000) } }), {}, 413],
  ];
  for (const [body, headers, status] of bad) {
    const given = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await server.ask('/mcp', { method: 'POST', token, body: given, headers: { ...accept, ...headers } });
    assert.is(answer.status, status, `${given.slice(0, 90)} ${JSON.stringify(headers)}`);
  }
});

test('methods, tools and resources that are not there are errors of the protocol', async () => {
  const { token } = ann;
  for (const method of ['prompts/list', 'logging/setLevel', 'tasks/list', 'constructor', '__proto__', 'tools/list '])
    assert.equal(rpcCodeOf(await post(server, request(method), { token })), [200, -32601], method);
  const strange = [
    '',
    'x',
    'domains.list',
    'DOMAINS_LIST',
    'domains_list\u0000',
    '__proto__',
    'toString',
    '../domains',
  ];
  // Not for agents: what guests do, what needs the session of a login, what serves pages, streams, and this door itself.
  const closed = [
    'account_login',
    'account_password',
    'account_makeToken',
    'account_logout',
    'pages_home',
    'mcp_message',
  ];
  for (const name of [...strange, ...closed, 'accounts_accounts'])
    assert.equal(rpcCodeOf(await post(server, request('tools/call', { name }), { token })), [200, -32602], name);
  for (const name of ['events_stream', 'usage_stream', 'account_reauthenticate', 'domains_list']) {
    const answer = await post(server, request('tools/call', { name }), { token: root.token, address: 'admin' });
    assert.equal(rpcCodeOf(answer), [200, -32602], name);
  }
  for (const uri of ['', 'file:///etc/passwd', 'hostkeep:/api/usage/stats', 'hostkeep:/api/account/tokens'])
    assert.equal(rpcCodeOf(await post(server, request('resources/read', { uri }), { token })), [200, -32002], uri);
});

test('the description has its operation, on both addresses', async () => {
  for (const [address, token] of [
    ['user', ann.token],
    ['admin', root.token],
  ] as const) {
    const { status, body } = await server.ask('/openapi.json', { address, token });
    const operation = (body['paths'] as Record<string, Record<string, Members>>)['/mcp']?.['post'];
    assert.equal(
      [status, Object.keys(operation?.['responses'] as object)],
      [200, ['200', '202', '400', '401', '403', '406', '413', '415', '500', '503', '507']],
    );
  }
});
