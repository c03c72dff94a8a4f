import { rename } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { listenBeside } from '../../net/account-socket.ts';

/** Requests that wait for a master; the web server is told of others at once that there is none. */
const MOST_HELD = 512;
/** How long those are still taken who looked up a path before it led elsewhere. */
export const LATE_MS = 100;
/** How long a master that did not start is not tried again. */
const AGAIN_MS = 5000;

/** Listens at the socket of a pool that has no master. The first request starts one; the requests meanwhile are passed on to it. */
export class SleepingPool {
  readonly #socket: string;
  readonly #wake: () => Promise<void>;
  readonly #server: Server;
  readonly #held = new Set<Socket>();
  #isAwake = false;
  #waking: Promise<void> | undefined;
  #triedAt = -Infinity;

  private constructor(socket: string, wake: () => Promise<void>) {
    this.#socket = socket;
    this.#wake = wake;
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (connection) => this.#take(connection));
  }

  /** Takes the place of a socket. `wake` has a master take it back, and rejects if there is none then. */
  static async listen(socket: string, gid: number, wake: () => Promise<void>): Promise<SleepingPool> {
    const pool = new SleepingPool(socket, wake);
    await rename(await listenBeside(pool.#server, socket, gid), socket);
    return pool;
  }

  /** Closes what waits; the path stays. */
  close(): void {
    this.#server.close();
    for (const connection of this.#held) connection.destroy();
  }

  #take(connection: Socket): void {
    connection.on('error', () => connection.destroy());
    if (this.#isAwake) return this.#pass(connection);
    const isTooSoon = this.#waking === undefined && performance.now() - this.#triedAt < AGAIN_MS;
    if (isTooSoon || this.#held.size >= MOST_HELD) return void connection.destroy();
    this.#held.add(connection);
    connection.once('close', () => this.#held.delete(connection));
    this.#waking ??= this.#start().finally(() => (this.#waking = undefined));
  }

  /** Never rejects: who waits sees a closed connection. */
  async #start(): Promise<void> {
    try {
      await this.#wake();
      this.#isAwake = true;
    } catch {
      this.#triedAt = performance.now(); // `wake` has told why
      for (const connection of this.#held) connection.destroy();
      return;
    }
    for (const connection of this.#held) this.#pass(connection);
    await delay(LATE_MS);
    this.#server.close();
  }

  #pass(connection: Socket): void {
    this.#held.delete(connection);
    const master = connect({ path: this.#socket, allowHalfOpen: true });
    connection.once('close', () => master.destroy());
    master.on('error', () => connection.destroy());
    connection.pipe(master).pipe(connection);
  }
}
