/** Speaks with `/mcp` as the library's own client does, and with raw messages where that client would be too polite. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import type { Answer, RequestOptions, TestServer } from '../../support/hostkeep.ts';

export type Members = Record<string, unknown>;
/** What a tool says: whether it failed, and its JSON. */
export interface Said {
  readonly failed: boolean;
  readonly value: Members;
}

/** Connects, with the handshake; rejects if the server refuses. */
export async function connected(server: TestServer, token: string, address: Address = 'user'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const headers = { authorization: `Bearer ${token}` };
  const url = new URL(`${server.hostkeep.url(address)}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as Transport);
  return client;
}

export async function toolNames(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

/** Calls a tool whose reply is JSON. */
export async function said(client: Client, name: string, given: Members = {}): Promise<Said> {
  const { isError, content } = await client.callTool({ name, arguments: given });
  const [first] = content as { text: string }[];
  return { failed: isError === true, value: JSON.parse(first?.text ?? '') as Members };
}

/** Sends one message without a handshake, which a server that keeps nothing does not miss. */
export function post(server: TestServer, body: unknown, options: RequestOptions = {}): Promise<Answer<Members>> {
  const headers = { accept: 'application/json, text/event-stream', ...options.headers };
  return server.ask<Members>('/mcp', { ...options, method: 'POST', body, headers });
}

export const request = (method: string, params: Members = {}) => ({ jsonrpc: '2.0', id: 1, method, params });

/** Makes an API token past the proof of the password, which costs a hash each time. */
export async function apiToken(server: TestServer, account: Account, scopes: readonly string[]) {
  const wanted = { name: 'agent', scopes, networks: [], expiresAt: Date.now() + 600_000 };
  const { token, made } = await server.hostkeep.core.tokens.make(account, wanted, '127.0.0.1');
  return { token, id: made.id };
}
