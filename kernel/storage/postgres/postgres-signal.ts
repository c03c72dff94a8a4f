import { setTimeout as delay } from 'node:timers/promises';
import type { ChangeFollower, ChangeSignal } from '../change-signal.ts';
import type { SignalFile } from '../signal-file.ts';
import { ServerClient, type Servers } from './servers.ts';

const CHANNEL = 'hostkeep_revision';
/** Between two attempts to listen. */
const PAUSE_MS = 1000;
/** Between two questions whether the server is still there, and how long it may take to answer. */
const BEAT_MS = 1000;
const SILENCE_MS = 4000;

/**
 * The notifications that a trigger of the store sends with each change of the revision (`LISTEN`, `NOTIFY`), on a connection
 * of its own; each names its change. While there is no connection, the revision is only polled. A server that does not answer on it for some seconds is given
 * up, with all other connections to it, because a machine or a network that fails may close none. Processes on the same machine, such as commands, also use a
 * file, so that what they change holds for the next request.
 */
export class PostgresSignal implements ChangeSignal {
  readonly #servers: Servers;
  readonly #file: SignalFile;
  readonly #closing = new AbortController();
  #client: ServerClient | undefined;
  #listening: Promise<void> | undefined;

  constructor(servers: Servers, file: SignalFile) {
    this.#servers = servers;
    this.#file = file;
  }

  async follow(follower: ChangeFollower): Promise<void> {
    await this.#file.follow(follower);
    let first = (): void => undefined;
    const isTried = new Promise<void>((resolve) => (first = resolve));
    this.#listening = this.#listen(follower, first);
    await isTried;
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
    await this.#file.close();
    this.#client?.destroy();
    await this.#listening;
  }

  /** Listens on one connection after another. `tried` is called after the first attempt. */
  async #listen(follower: ChangeFollower, tried: () => void): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const client = new ServerClient(this.#servers);
      this.#client = client;
      try {
        await client.connect();
        await this.#servers.assertPrimary(client);
        const { rows } = await client.query<{ schema: string }>('select current_schema() as schema');
        client.on('notification', ({ payload = '' }) => hear(follower, payload, rows[0]?.schema));
        await client.query(`listen ${CHANNEL}`);
        follower.replaced(); // what was sent before is lost
        tried();
        await this.#watch(client);
      } catch {
        this.#servers.failed(client.server); // the poll goes on, and reports that the store cannot be reached
      }
      tried();
      client.destroy();
      await delay(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined); // aborted when it closes
    }
  }

  /** Resolves when the connection has ended, or is to be left because another server was promoted. */
  async #watch(client: ServerClient): Promise<void> {
    const { signal } = this.#closing;
    const ending = new AbortController();
    client.once('end', () => ending.abort());
    const either = AbortSignal.any([signal, ending.signal]);
    while (!either.aborted && !this.#servers.isFormer(client)) {
      await delay(BEAT_MS, undefined, { signal: either, ref: false }).catch(() => undefined);
      if (either.aborted) return;
      await client.probe(SILENCE_MS).catch(() => this.#servers.lost(client.server));
    }
  }
}

/** Passes on a notification, such as `17 4 public`; those of other schemas are none of ours. */
function hear({ moved }: ChangeFollower, payload: string, schema: string | undefined): void {
  const [, n, account, of] = /^(\d{1,15}) (\d{0,15}) (.*)$/.exec(payload) ?? [];
  if (n === undefined) moved();
  else if (of === schema) moved({ n: Number(n), accountId: account ? Number(account) : null });
}
