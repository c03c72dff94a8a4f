import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { AccountChange, ChangeFollower, ChangeSignal, NodeProcesses } from '../../kernel/store/change-signal.ts';
import { monotonicMs } from '../../kernel/kit/waiting/monotonic.ts';
import { topic } from '../../kernel/contract/workers.ts';
import { ServerClient, type ServerHistory, type Servers } from './servers.ts';

const CHANNEL = 'hostkeep_revision';
/** Between two attempts to listen. */
const PAUSE_MS = 1000;
/** Between two looks at the revision, which also show that the server is still there, and how long one may take. */
const LOOK_MS = 500;
const SILENCE_MS = 4000;
/** A look that waits for a lock, such as that of a migration, is none of a server that has fallen silent. */
const LISTENER = { application_name: 'hostkeep listener', lock_timeout: SILENCE_MS / 2 };
/** Message of the listening process to itself and to the others of its node. */
type Said =
  | { readonly kind: 'changed'; readonly change?: AccountChange }
  | { readonly kind: 'looked'; readonly n: number; readonly atMs: number }
  /** It listens from now on; what was sent before is lost. */
  | { readonly kind: 'listening'; readonly history: ServerHistory }
  /** The server has fallen silent. */
  | { readonly kind: 'lost'; readonly server: number };
const SAID = topic<Said>('store');

/**
 * The notifications that a trigger of the store sends with each change of the revision (`LISTEN`, `NOTIFY`), each with the change.
 * One process of a node has a connection for them, looks at the revision on it, and tells the others. While there is none, each
 * process asks for itself. A server that does not answer on it for some seconds is given up, with all connections to it, because
 * a machine or a network that fails may close none. Processes on the same machine, such as commands, also use a file, so that
 * what they change holds for the next request.
 */
export class PostgresSignal implements ChangeSignal {
  readonly #servers: Servers;
  readonly #file: ChangeSignal;
  readonly #closing = new AbortController();
  #client: ServerClient | undefined;
  #listening: Promise<void> | undefined;
  #stopHearing = (): void => undefined;

  constructor(servers: Servers, file: ChangeSignal) {
    this.#servers = servers;
    this.#file = file;
  }

  async follow(follower: ChangeFollower, node: NodeProcesses): Promise<void> {
    const { leadership, workers } = node;
    await this.#file.follow(follower, node);
    const hear = (said: Said) => this.#hear(follower, said);
    this.#stopHearing = workers.subscribe(SAID, hear);
    const say: Say = (said) => {
      hear(said);
      workers.publish(SAID, said);
    };
    const listen = (tried: () => void) => (this.#listening = this.#listen(say, tried));
    if (leadership.isLeader) await new Promise<void>((tried) => listen(tried));
    else leadership.onTakeOver(() => listen(() => undefined));
  }

  hasMoved(): boolean {
    return this.#file.hasMoved();
  }

  /** Other machines were told in the transaction. */
  announce(revision: number): void {
    this.#file.announce(revision);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#stopHearing();
    await this.#file.close();
    this.#client?.destroy();
    await this.#listening;
  }

  /** Listens on one connection after another. `tried` is called after the first attempt. */
  async #listen(say: Say, tried: () => void): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const client = new ServerClient(this.#servers, LISTENER);
      this.#client = client;
      try {
        await client.connect();
        await this.#servers.assertPrimary(client);
        const { rows } = await client.query<{ schema: string }>('select current_schema() as schema');
        client.on('notification', ({ payload = '' }) => {
          const said = changed(payload, rows[0]?.schema);
          if (said !== undefined) say(said);
        });
        await client.query(`listen ${CHANNEL}`);
        say({ kind: 'listening', history: client.history });
        tried();
        await this.#watch(client, say);
      } catch (error) {
        this.#servers.failed(client.server, error); // the poll goes on, and reports that the store cannot be reached
      }
      tried();
      client.destroy();
      await delay(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined); // aborted when it closes
    }
  }

  /** Resolves when the connection has ended, or is to be left because another server was promoted. */
  async #watch(client: ServerClient, say: Say): Promise<void> {
    const { signal } = this.#closing;
    const ending = new AbortController();
    client.once('end', () => ending.abort());
    const either = AbortSignal.any([signal, ending.signal]);
    while (!either.aborted && !this.#servers.isFormer(client)) {
      // aborted, as the loop sees
      await delay(LOOK_MS, undefined, { signal: either, ref: false }).catch(() => undefined);
      if (either.aborted) return;
      const atMs = monotonicMs();
      await client.ask<{ n: number }>('select n from revision', SILENCE_MS).then(
        (row) => say({ kind: 'looked', n: row?.n ?? 0, atMs }),
        (error: unknown) => {
          if (!(error instanceof DatabaseError || either.aborted)) say({ kind: 'lost', server: client.server });
        },
      );
    }
  }

  #hear(follower: ChangeFollower, said: Said): void {
    switch (said.kind) {
      case 'changed':
        return follower.moved(said.change);
      case 'looked':
        return follower.confirmed(said.n, said.atMs);
      case 'listening':
        this.#servers.learn(said.history);
        return follower.replaced();
      case 'lost':
        return this.#servers.lost(said.server);
    }
  }
}

type Say = (said: Said) => void;

/** Returns what a notification such as `17 4 public` says; nothing if it is of another schema. */
function changed(payload: string, schema: string | undefined): Said | undefined {
  const [, n, account, of] = /^(\d{1,15}) (\d{0,15}) (.*)$/.exec(payload) ?? [];
  if (n === undefined) return { kind: 'changed' };
  if (of !== schema) return undefined;
  return { kind: 'changed', change: { n: Number(n), accountId: account ? Number(account) : null } };
}
