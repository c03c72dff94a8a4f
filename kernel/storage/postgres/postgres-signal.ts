import { setTimeout as delay } from 'node:timers/promises';
import type { ChangeSignal } from '../change-signal.ts';
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
 * of its own; while there is none, the revision is only polled. A server that does not answer on it for some seconds is given
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

  async follow(moved: () => void): Promise<void> {
    await this.#file.follow(moved);
    let first = (): void => undefined;
    const isTried = new Promise<void>((resolve) => (first = resolve));
    this.#listening = this.#listen(moved, first);
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
  async #listen(moved: () => void, tried: () => void): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const client = new ServerClient(this.#servers);
      this.#client = client;
      client.on('notification', moved);
      try {
        await client.connect();
        await this.#servers.assertPrimary(client);
        await client.query(`listen ${CHANNEL}`);
        moved(); // what was sent before is lost
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
