import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { HttpError } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Forward } from '../../kernel/contract/forwarding.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { Reply, Stream } from '../../kernel/contract/reply.ts';
import { fleetFolder, membershipFile, innerSockets } from '../../kernel/run/data/membership.ts';
import { temporaryFolder } from './folder.ts';
import { allPlugins, TestServer } from './hostkeep.ts';

/** Makes a data folder that of a node of a fleet, whose certificates nobody looks at. */
export function memberFolder(name: string): string {
  const data = temporaryFolder();
  mkdirSync(fleetFolder(data), { mode: 0o700 });
  const parts = { name, ca: 'not used', certificate: 'not used', key: 'not used' };
  writeFileSync(membershipFile(data), JSON.stringify(parts), { mode: 0o600 });
  return data;
}

/** Headers of the other node's answer that are not written for every answer. */
const PASSED_ON = /^(etag|last-modified|retry-after|location|ratelimit|x-hostkeep-)/;

type Admitted = Parameters<Forward> extends [string, ...infer Rest] ? Rest : never;

/** Stands in for the plugin `fleet`: nodes of one machine reach each other by the sockets in their data folders. */
const forwarder = (folders: ReadonlyMap<string, string>) =>
  definePlugin({
    name: 'forwarder',
    features: [],
    routes: {},
    setup: ({ identity }) => ({
      handlers: {},
      // what is cached here of the account was changed there
      forward: (node, ...sent) =>
        forwarded(folders.get(node) ?? '', ...sent).finally(() =>
          identity.accounts.cells.forget(sent[1].account?.id ?? 0),
        ),
    }),
  });

async function forwarded(data: string, ...[info, call, authorization]: Admitted): Promise<Reply | Stream> {
  if (data === '') throw new HttpError('node_not_found', 'the fleet has no such node');
  const { address, signal } = call;
  const { method } = info;
  const body = info.body && JSON.stringify(call.body);
  const named = (info.headers ?? []).map((name) => [name, call.header(name)] as const);
  const headers = {
    ...Object.fromEntries(named.filter(([, value]) => value !== '')),
    authorization,
    'x-forwarded-for': call.ip,
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  const params = call.params as Readonly<Record<string, unknown>>;
  const inPath = (info.paths[0] ?? '').replaceAll(/[:*](\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const query = new URLSearchParams(JSON.parse(JSON.stringify(call.query ?? {})) as Record<string, string>);
  const path = `${inPath}?${query.toString()}`;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request({ socketPath: innerSockets(data, 1)[address], method, path, headers, signal }, resolve);
    outgoing.on('error', reject).end(body);
  });
  const type = answer.headers['content-type'] ?? 'application/json';
  const kept = Object.entries(answer.headers).filter(([name]) => PASSED_ON.test(name)) as [string, string][];
  if (type !== 'text/event-stream')
    return new Reply(await buffer(answer), {
      type,
      status: answer.statusCode ?? 500,
      headers: Object.fromEntries(kept),
    });
  return new Stream(type, (sink) => {
    answer.on('data', (chunk: Buffer) => sink.write(chunk)).on('end', () => sink.end());
    return () => answer.destroy();
  });
}

/** Servers that share a store, each with a data folder of its own. */
export class NodePair {
  readonly nodes: Readonly<Record<'one' | 'two', TestServer>>;

  private constructor(one: TestServer, two: TestServer) {
    this.nodes = { one, two };
  }

  /** `url` names a schema of its own; `config` holds further settings of a node. */
  static async start(url: string, config: (name: string) => Record<string, unknown> = () => ({})): Promise<NodePair> {
    const folders = new Map(['one', 'two'].map((name) => [name, memberFolder(name)]));
    const plugins = [...(await allPlugins()).filter(({ name }) => name !== 'fleet'), forwarder(folders)];
    const start = async (name: 'one' | 'two') => {
      const data = folders.get(name) ?? '';
      const keys = join(folders.get('one') ?? '', 'keys.json');
      if (name === 'two' && existsSync(keys)) copyFileSync(keys, join(data, 'keys.json'));
      return TestServer.start({ data, plugins, config: { store: { url }, ...config(name) } });
    };
    const one = await start('one');
    return new NodePair(one, await start('two'));
  }

  /** Creates a customer who lives at a node, and a session. */
  async user(username: string, home: 'one' | 'two'): Promise<{ account: Account; token: string }> {
    return this.nodes[home].user(username);
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.nodes).map((node) => node.close()));
  }
}
