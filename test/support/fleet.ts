import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import * as assert from './assert.ts';
import type { Role } from '../../kernel/identity/accounts/account.ts';
import type { Plugin } from '../../kernel/contract/plugin.ts';
import type { Core } from '../../kernel/run/core.ts';
import { hostkeep } from './command.ts';
import type { Outcome } from './command-pool.ts';
import { atEnd } from './ending.ts';
import { temporaryFolder } from './folder.ts';
import { TestServer } from './hostkeep.ts';
import { NodeProcess, prepare, type NodeOptions } from './node-process.ts';
import { freePort } from './port.ts';
import { ownSchema } from './postgres.ts';
import { until } from './until.ts';

/** A node of a fleet: its data folder, and where the others reach it. */
export interface FleetMember {
  readonly name: string;
  readonly data: string;
  readonly address: string;
}

/** Resolves once the run of a move that was killed counts as ended; a command that asks again and again keeps a processor busy. */
export function runEnded({ store, leases }: Core, username: string): Promise<void> {
  return until(
    `the run that moves ${username} counts as ended`,
    async () => (await leases.holder(store, `move ${username}`)) === undefined,
  );
}

/**
 * Stops the process that moves an account where it is, runs `work` while its run counts as alive, and kills it without a word.
 * What `work` looks at would be over otherwise on a machine on which looking takes longer than moving.
 */
export async function killedAfter({ store }: Core, username: string, child: ChildProcess, work: () => Promise<void>) {
  const ended = once(child, 'exit');
  child.kill('SIGSTOP');
  await store.write((tx) => tx.run('update leases set until = until + 600000 where name = ?', `move ${username}`));
  try {
    await work();
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** Nodes that share a store, made by the commands that operators use. */
export class TestFleet {
  /** Of the store. */
  readonly url: string;
  readonly servers: TestServer[] = [];
  readonly processes = new Set<NodeProcess>();

  /** The store is in a schema of its own, on the server for all unless another is named. */
  constructor(schema: string, server?: string) {
    this.url = ownSchema(schema, server);
    atEnd(() => this.close());
  }

  /** Resolves with a fleet and its two nodes, which do not serve yet. */
  static async pair(
    schema: string,
    server?: string,
  ): Promise<{ fleet: TestFleet; one: FleetMember; two: FleetMember }> {
    const fleet = new TestFleet(schema, server);
    const one = await fleet.init('one');
    return { fleet, one, two: await fleet.join(one, 'two') };
  }

  /** Runs a command with a data folder and the store of the fleet. */
  run(data: string, args: readonly string[], input = '', cli?: string): Promise<Outcome> {
    return hostkeep(data, args, input, cli, { HOSTKEEP_STORE_URL: this.url });
  }

  /** `host` is the loopback address at which the others reach it. */
  async init(name: string, data = join(temporaryFolder(), 'data'), host = '127.0.0.1'): Promise<FleetMember> {
    const address = `${host}:${await freePort()}`;
    const { code, stderr } = await this.run(data, ['fleet', 'init', '--name', name, '--listen', address]);
    assert.is(code, 0, stderr);
    return { name, data, address };
  }

  /** Returns the token of an invitation by a member. */
  async invite({ data }: FleetMember, ...options: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(data, ['fleet', 'invite', ...options]);
    assert.is(code, 0, stderr);
    return stdout.trim();
  }

  async join(by: FleetMember, name: string, host = '127.0.0.1'): Promise<FleetMember> {
    const data = join(temporaryFolder(), 'data');
    const address = `${host}:${await freePort()}`;
    const token = await this.invite(by);
    const { code, stderr } = await this.run(data, ['fleet', 'join', '--name', name, '--listen', address], `${token}\n`);
    assert.is(code, 0, stderr);
    return { name, data, address };
  }

  /** Resolves once all nodes are up, by the command of a member. */
  areUp(member: FleetMember): Promise<void> {
    return until('all nodes are up', async () =>
      Object.values(await this.statesSeenBy(member)).every((state) => state === 'up'),
    );
  }

  /** Resolves with the state of each node, by the command of a member. */
  async statesSeenBy({ data }: FleetMember): Promise<Record<string, string>> {
    const { stdout } = await this.run(data, ['fleet', 'list', '--json']);
    const nodes = JSON.parse(stdout) as { name: string; state: string }[];
    return Object.fromEntries(nodes.map(({ name, state }) => [name, state]));
  }

  async serve(
    { data }: FleetMember,
    plugins?: readonly Plugin[],
    config: Record<string, unknown> = {},
  ): Promise<TestServer> {
    const options = { data, config: { store: { url: this.url }, ...config } };
    const server = await TestServer.open(plugins === undefined ? options : { ...options, plugins });
    this.servers.push(server);
    return server;
  }

  /** Serves a node in a process of its own, with accounts that live there. */
  async start(
    { data }: FleetMember,
    people: Readonly<Record<string, Role>> = {},
    options: NodeOptions = {},
  ): Promise<NodeProcess> {
    if (Object.keys(people).length > 0) await prepare(data, people, { store: { url: this.url } });
    const node = await NodeProcess.start(data, { ...options, storeUrl: this.url });
    this.processes.add(node);
    return node;
  }

  async close(): Promise<void> {
    await Promise.all([...this.processes].map((node) => node.end('SIGKILL')));
    await Promise.all(this.servers.map((server) => server.close()));
  }
}
